import type { MessageContent } from '@yonder/contract/message'
import { filesOfContent } from '@yonder/contract/message-text'
import { formatBytes } from '../../../lib/format-usage.ts'

/** The names and sizes of the files in a message. The images of a tool's result are in `ResultImages`. */
export function MessageFiles({ content }: { readonly content: MessageContent }) {
  const files = filesOfContent(content)
  if (files.length === 0) return null
  return (
    <ul aria-label="Files" className="flex flex-wrap gap-x-3 py-1 text-sm">
      {files.map(({ id, name, size }) => (
        <li key={id}>
          <bdi>{name}</bdi> <span className="text-muted">{formatBytes(size)}</span>
        </li>
      ))}
    </ul>
  )
}

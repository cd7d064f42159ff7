import type { MessageContent } from '@yonder/contract/message'
import { filesOfContent, textOfContent } from '@yonder/contract/message-text'
import { useMemo } from 'react'
import { formatBytes } from '../../../lib/format-usage.ts'
import { FoldedContent } from '../../../ui/folded-content.tsx'
import { LongText } from '../../../ui/long-text.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'

/**
 * What the user has written: the text as it was typed, or as markdown (see `holdsMarkdown`), folded if it is long; and
 * the files.
 */
export function TypedContent({ content }: { readonly content: MessageContent }) {
  const text = textOfContent(content)
  const isMarkdown = useMemo(() => holdsMarkdown(text), [text])
  return (
    <>
      {text !== '' && (
        <FoldedContent>
          {isMarkdown ? (
            <Markdown text={text} />
          ) : (
            <div dir="auto" className="leading-relaxed whitespace-pre-wrap">
              <LongText text={text} />
            </div>
          )}
        </FoldedContent>
      )}
      <MessageFiles content={content} />
    </>
  )
}

const fence = /^ {0,3}(`{3,}|~{3,})/
const listItem = /^ {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]+\S/

/**
 * Whether a text that a user typed holds a code fence, at least two list items, or a table. Every other text is shown
 * as it was typed, because its stars and underscores may not be meant as markdown.
 */
export function holdsMarkdown(text: string): boolean {
  let items = 0
  let before = ''
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (opensFence(line) || (before.includes('|') && isTableRule(line))) return true
    if (listItem.test(line)) items += 1
    if (items === 2) return true
    before = line
  }
  return false
}

function opensFence(line: string): boolean {
  const found = fence.exec(line)
  // A line with closing backticks, such as ```code```, is inline code.
  return found !== null && (found[1]?.startsWith('~') === true || !line.slice(found[0].length).includes('`'))
}

/** Whether a line is the line under the head of a table, such as `|---|:-:|`. */
function isTableRule(line: string): boolean {
  if (!line.includes('|') || line.length > maxRuleChars) return false
  const cells = line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|')
  return cells.every((cell) => /^:?-+:?$/.test(cell.trim()))
}

/** A longer line is not checked, because it could have thousands of cells. */
const maxRuleChars = 5000

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

import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import type { ResultPart as Part } from '@yonder/contract/tool-call'
import { CopyButton } from '../../../ui/button/copy-button.tsx'
import { indentJson } from './indent-json.ts'
import { InertText } from './inert-text.tsx'
import { ResultPart } from './result-part.tsx'

export interface CallDetailsProps {
  readonly chatId: string
  readonly message: Message
  readonly result: Message | undefined
}

/** The exact arguments of a call, and its result (§13.2). */
export function CallDetails({ chatId, message, result }: CallDetailsProps) {
  const { tool = '', call, arguments: sent = '{}' } = message
  return (
    <>
      {call?.title !== undefined && call.title !== tool && (
        <p className="text-xs text-muted">
          Tool:{' '}
          <code className="font-mono text-ink wrap-anywhere">
            <InertText>{tool}</InertText>
          </code>
        </p>
      )}
      {/^\s*(\{\s*\})?\s*$/.test(sent) ? (
        <p className="text-xs text-muted">No arguments</p>
      ) : (
        <CopyableText label="Arguments" text={indentJson(sent)} />
      )}
      {result !== undefined && <CallResult chatId={chatId} result={result} />}
    </>
  )
}

interface CopyableTextProps {
  /** The name of the text, for example 'Arguments'. */
  readonly label: string
  readonly text: string
}

/** A text with its own line breaks, and a button that copies it. */
function CopyableText({ label, text }: CopyableTextProps) {
  return (
    <div>
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-xs font-medium text-muted">{label}</p>
        <CopyButton title={`Copy ${label.toLowerCase()}`} text={text} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long text scrolls with the keyboard too */}
      <pre tabIndex={0} aria-label={label} className="tool-text">
        <InertText>{text}</InertText>
      </pre>
    </div>
  )
}

function CallResult({ chatId, result }: { readonly chatId: string; readonly result: Message }) {
  const text = textOfContent(result.content)
  const parts: readonly Part[] = result.outcome?.parts ?? [{ type: 'text', text }]
  return (
    <div>
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-xs font-medium text-muted">Result</p>
        {text !== '' && <CopyButton title="Copy result" text={text} />}
      </div>
      <div className="flex flex-col gap-2">
        {parts.length === 0 && <p className="text-sm text-muted">The tool returned nothing.</p>}
        {parts.map((part, index) => (
          <ResultPart
            // oxlint-disable-next-line react/no-array-index-key -- a result never changes
            key={index}
            part={part}
            imagePath={`/api/chats/${encodeURIComponent(chatId)}/images/${encodeURIComponent(result.id)}/${index}`}
          />
        ))}
      </div>
    </div>
  )
}

import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import type { ResultPart as Part } from '@yonder/contract/tool-call'
import { ExternalLink } from 'lucide-react'
import { CopyButton } from '../../../ui/button/copy-button.tsx'
import { indentJson } from './indent-json.ts'
import { InertText } from '../../../ui/inert-text.tsx'
import { ToolName } from '../../../ui/tool-name.tsx'

export interface CallDetailsProps {
  readonly message: Message
  readonly result: Message | undefined
}

/** The exact arguments of a call, and its result (§13.2). */
export function CallDetails({ message, result }: CallDetailsProps) {
  const { tool = '', call, arguments: args = '{}' } = message
  return (
    <>
      {call?.title !== undefined && call.title !== tool && (
        <p className="text-xs text-muted">
          Tool:{' '}
          <code className="font-mono text-ink wrap-anywhere">
            <ToolName>{tool}</ToolName>
          </code>
        </p>
      )}
      {['', '{}'].includes(args.replaceAll(/\s+/g, '')) ? (
        <p className="text-xs text-muted">No arguments</p>
      ) : (
        <CopyableText label="Arguments" text={indentJson(args)} />
      )}
      {result !== undefined && <CallResult result={result} />}
    </>
  )
}

interface CopyableTextProps {
  /** The name of the text, for example 'Arguments'. */
  readonly label: string
  readonly text: string
}

/** A text with its line breaks, and a button that copies it. */
function CopyableText({ label, text }: CopyableTextProps) {
  return (
    <div>
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-xs font-medium text-muted">{label}</p>
        <CopyButton title={`Copy ${label.toLowerCase()}`} text={text} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard can scroll a long text */}
      <pre tabIndex={0} aria-label={label} className="tool-text">
        <InertText>{text}</InertText>
      </pre>
    </div>
  )
}

/** The result without its images, which are shown in any case. */
function CallResult({ result }: { readonly result: Message }) {
  const text = textOfContent(result.content)
  const parts: readonly Part[] = result.outcome?.parts ?? [{ type: 'text', text }]
  if (parts.length > 0 && parts.every(isImage)) return null
  return (
    <div>
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-xs font-medium text-muted">Result</p>
        {text !== '' && <CopyButton title="Copy result" text={text} />}
      </div>
      <div className="flex flex-col gap-2">
        {parts.length === 0 && <p className="text-sm text-muted">The tool returned nothing.</p>}
        {parts.filter(isShownHere).map((part, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a result never changes
          <ResultPart key={index} part={part} />
        ))}
      </div>
    </div>
  )
}

const isImage = (part: Part) => part.type === 'image'
type ShownPart = Exclude<Part, { type: 'image' }>
const isShownHere = (part: Part): part is ShownPart => !isImage(part)

/** A part of a tool's result. Texts are shown as plain text. */
function ResultPart({ part }: { readonly part: ShownPart }) {
  switch (part.type) {
    case 'text':
    case 'json':
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard can scroll a long text
        <pre tabIndex={0} aria-label="Result" className="tool-text">
          <InertText>{part.text}</InertText>
        </pre>
      )
    case 'link':
      return <ResultLink uri={part.uri} name={part.name} />
    case 'note':
      return (
        <p dir="auto" className="text-sm text-muted">
          <InertText>{part.text}</InertText>
        </p>
      )
  }
}

/** A link, shown with its whole address. Only an http(s) address can be opened. */
function ResultLink({ uri, name }: { readonly uri: string; readonly name: string }) {
  const address = (
    <span className="text-xs wrap-anywhere">
      <InertText>{uri}</InertText>
    </span>
  )
  return (
    <p className="flex flex-col items-start text-sm">
      {name !== uri && (
        <bdi className="font-medium wrap-anywhere">
          <InertText>{name}</InertText>
        </bdi>
      )}
      {/^https?:\/\//i.test(uri) && URL.canParse(uri) ? (
        <a
          href={uri}
          target="_blank"
          rel="noopener noreferrer"
          className="inline-flex min-w-0 items-center gap-1.5 text-accent underline underline-offset-4"
        >
          {address}
          <ExternalLink size={14} aria-hidden className="shrink-0" />
        </a>
      ) : (
        <span className="text-muted">{address}</span>
      )}
    </p>
  )
}

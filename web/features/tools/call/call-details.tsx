import type { ConnectorAccount } from '@yonder/contract/connector'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import type { ResultPart as Part } from '@yonder/contract/tool-call'
import { ExternalLink } from 'lucide-react'
import { useConnectorAccount, useConnectors } from '../../../data/connectors.ts'
import { CopyButton } from '../../../ui/button/copy-button.tsx'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { InertText, ToolName } from '../../../ui/inert-text.tsx'
import { ToolText } from '../../../ui/tool-text.tsx'
import { indentJson } from './indent-json.ts'
import { findReadableCall, readFields, type ReadableField } from './readable-call.ts'
import { ReadableFields } from './readable-fields.tsx'

export interface CallDetailsProps {
  readonly message: Message
  readonly result: Message | undefined
}

/** The exact arguments of a call, and its result. */
export function CallDetails({ message, result }: CallDetailsProps) {
  const { tool = '', call } = message
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
      <CallArguments message={message} />
      {result !== undefined && <CallResult result={result} />}
    </>
  )
}

/** Shows the arguments as they are sent. For an email or an event they are in a disclosure, below labelled fields. */
function CallArguments({ message }: { readonly message: Message }) {
  const { arguments: args = '{}' } = message
  const readable = findReadableCall(useConnectors().data, message)
  const { data: account, error } = useConnectorAccount(readable?.connector, message.call?.credential)
  const fields = readable && readFields(readable, args, account?.time_zone ?? undefined)
  if (['', '{}'].includes(args.replaceAll(/\s+/g, '')))
    return <p className="text-xs text-muted">No arguments</p>
  const exact = <CopyableText label="Arguments" text={indentJson(args)} />
  if (fields === undefined) return exact
  return (
    <>
      <ReadableFields
        fields={message.call?.state === 'waiting' ? [describeAccount(account, error), ...fields] : fields}
      />
      <Disclosure label="Exact arguments">{exact}</Disclosure>
    </>
  )
}

/** Returns the field with the account that a waiting call will use. Earlier calls may have used another account. */
function describeAccount(account: ConnectorAccount | undefined, error: unknown): ReadableField {
  const isLoading = account === undefined && error === undefined
  const text = account?.account ?? (isLoading ? '\u2026' : 'The connected account')
  return { label: 'Account', value: { kind: 'line', text } }
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
      <ToolText label={label}>
        <InertText>{text}</InertText>
      </ToolText>
    </div>
  )
}

/** The result without its images, which are shown even when the details are closed. */
function CallResult({ result }: { readonly result: Message }) {
  const text = textOfContent(result.content)
  const all: readonly Part[] = result.outcome?.parts ?? [{ type: 'text', text }]
  if (all.length > 0 && all.every(isImage)) return null
  const parts = all.filter(isShownHere)
  const hasTextForModel = all.some(isForModel)
  // `text` also contains the parts for the model, which are not shown here.
  const copied = hasTextForModel ? parts.map(textOf).join('\n') : text
  return (
    <div>
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-xs font-medium text-muted">Result</p>
        {copied !== '' && <CopyButton title="Copy result" text={copied} />}
      </div>
      <div className="flex flex-col gap-2">
        {parts.length === 0 && <p className="text-sm text-muted">The tool returned nothing.</p>}
        {parts.map((part, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a result never changes
          <ResultPart key={index} part={part} />
        ))}
        {(hasTextForModel || hasAdviceForModel(result)) && (
          <Disclosure label="What the model reads">
            <CopyableText label="Text for the model" text={text} />
          </Disclosure>
        )}
      </div>
    </div>
  )
}

const isImage = (part: Part) => part.type === 'image'
type ShownPart = Exclude<Part, { type: 'image' }>
const isShownHere = (part: Part): part is ShownPart => !isImage(part) && !isForModel(part)

/** Whether the tool's server marked a part as text for the model only, such as marks around quoted data. */
function isForModel(part: Part): boolean {
  return part.type === 'text' && part.forModel === true
}

/** Whether the result is a sentence from Yonder itself, such as an error message, and the model gets advice with it. */
function hasAdviceForModel({ content, outcome }: Message): boolean {
  const [part, ...others] = outcome?.parts ?? []
  return part?.type === 'note' && others.length === 0 && textOfContent(content) !== part.text
}

function textOf(part: ShownPart): string {
  return part.type === 'link' ? part.uri : part.text
}

/** A part of a tool's result. Texts are shown as plain text. */
function ResultPart({ part }: { readonly part: ShownPart }) {
  switch (part.type) {
    case 'text':
    case 'json':
      return (
        <ToolText label="Result">
          <InertText>{part.text}</InertText>
        </ToolText>
      )
    case 'link':
      return <ResultLink uri={part.uri} name={part.name} />
    case 'note':
      return (
        <p dir="auto" className="text-sm whitespace-pre-line text-muted">
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

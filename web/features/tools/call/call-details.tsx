import type { ConnectorAccount } from '@yonder/contract/connector'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import type { ResultPart as Part, ToolEffect } from '@yonder/contract/tool-call'
import { ExternalLink } from 'lucide-react'
import { lazy, Suspense, useRef, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { useConnectorAccount, useConnectors } from '../../../data/connectors.ts'
import { formatBytes } from '../../../lib/format-usage.ts'
import { Button } from '../../../ui/button/button.tsx'
import { CopyButton } from '../../../ui/button/copy-button.tsx'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { InertText, ToolName } from '../../../ui/inert-text.tsx'
import { ToolText, type ToolTextProps } from '../../../ui/tool-text.tsx'
import type { EditDraft } from './edit-draft.ts'
import { indentJson } from './indent-json.ts'
import { findReadableCall, readFields, readPlainFields, type ReadableField } from './readable-call.ts'
import { ReadableFields } from './readable-fields.tsx'
import type { CallEdit } from './use-call-edit.ts'

// Loaded on demand, because few calls are edited.
const ArgumentsEditor = lazy(async () => {
  const { ArgumentsEditor: component } = await import('./arguments-editor.tsx')
  return { default: component }
})
const EditedArgumentsView = lazy(async () => {
  const { EditedArgumentsView: component } = await import('./edited-arguments.tsx')
  return { default: component }
})

export interface CallDetailsProps {
  readonly message: Message
  readonly result: Message | undefined
  /** The changes to the arguments of a waiting call; undefined when they cannot be changed. */
  readonly edit?: CallEdit | undefined
}

/** The exact arguments of a call, and its result. */
export function CallDetails({ message, result, edit }: CallDetailsProps) {
  const { arguments: proposed = '{}', call } = message
  return (
    <>
      <ToolAndClaim message={message} />
      {call?.edited !== undefined && (
        <>
          <p className="text-xs font-medium text-muted">Arguments, edited by you</p>
          <Suspense>
            <EditedArgumentsView proposed={proposed} edited={call.edited} label="Sent" />
          </Suspense>
          <Disclosure label="All arguments that were sent">
            <CopyableText label="Arguments that were sent" text={indentJson(call.edited)} />
          </Disclosure>
        </>
      )}
      {edit === undefined ? (
        call?.edited === undefined && <CallArguments message={message} />
      ) : (
        <EditableArguments message={message} edit={edit} />
      )}
      {result !== undefined && <CallResult result={result} />}
    </>
  )
}

const claims: Readonly<Record<ToolEffect, string>> = {
  read: 'only reads, says the server',
  write: 'writes, says the server',
  destructive: 'may delete, says the server',
}

/** The name of the tool if its title is another one, and what its server says that it does. */
function ToolAndClaim({ message: { tool = '', call } }: { readonly message: Message }) {
  const isNamed = call?.title !== undefined && call.title !== tool
  const effect = call?.state === 'waiting' ? call.effect : undefined
  if (!isNamed && effect === undefined) return null
  return (
    <p className="text-xs text-muted">
      {isNamed && (
        <>
          Tool:{' '}
          <code className="font-mono text-ink wrap-anywhere">
            <ToolName>{tool}</ToolName>
          </code>
        </>
      )}
      {isNamed && effect !== undefined && ' · '}
      {effect !== undefined && (
        <span className={effect === 'destructive' ? 'font-medium text-warning' : undefined}>
          {claims[effect]}
        </span>
      )}
    </p>
  )
}

/** The arguments of a waiting call with a button that opens the editor, the editor, or what the user has changed. */
function EditableArguments({ message, edit }: { readonly message: Message; readonly edit: CallEdit }) {
  const { server = '', tool = '', arguments: proposed = '{}' } = message
  const box = useRef<HTMLDivElement>(null)
  const { draft } = edit
  const change = (next: EditDraft | undefined) => {
    flushSync(() => edit.change(next))
    // The pressed button is gone. The editor takes the focus by itself.
    if (next?.isOpen !== true) box.current?.querySelector<HTMLElement>('[data-edit]')?.focus()
  }
  const editButton = (
    <Button data-edit look="plain" size="small" onClick={() => change(openDraft(draft, proposed))}>
      Edit
    </Button>
  )
  return (
    <div ref={box} className="flex flex-col gap-2">
      {draft === undefined ? (
        <CallArguments message={message} editButton={editButton} />
      ) : draft.isOpen ? (
        <Suspense>
          <ArgumentsEditor
            server={server}
            tool={tool}
            text={draft.text}
            isChanged={draft.text !== indentJson(proposed)}
            refusal={edit.refusal}
            takesFocus={edit.wasOpened}
            onChange={(text) => edit.change({ text, isOpen: true })}
            onDone={(text) => change(hasChanged(proposed, text) ? { text, isOpen: false } : undefined)}
            onCancel={() => change(undefined)}
          />
        </Suspense>
      ) : (
        <>
          <div className="flex min-h-8 items-center gap-2">
            <p className="mr-auto text-xs font-medium text-muted">Arguments, edited by you</p>
            <Button look="plain" size="small" onClick={() => change(undefined)}>
              Undo
            </Button>
            {editButton}
          </div>
          <Suspense>
            <EditedArgumentsView proposed={proposed} edited={draft.text} label="Will be sent" />
          </Suspense>
          <Disclosure label="All arguments">
            <CopyableText label="Arguments" text={indentJson(draft.text)} />
          </Disclosure>
        </>
      )}
    </div>
  )
}

function openDraft(draft: EditDraft | undefined, proposed: string): EditDraft {
  return { text: draft?.text ?? indentJson(proposed.trim() === '' ? '{}' : proposed), isOpen: true }
}

/** Whether a text says something else than the proposed arguments, apart from its spaces. */
function hasChanged(proposed: string, text: string): boolean {
  return indentJson(proposed) !== indentJson(text)
}

/** Shows the arguments as they are sent. For an email or an event they are in a disclosure, below labelled fields. */
function CallArguments({ message, editButton }: CallArgumentsProps) {
  const { arguments: args = '{}', call } = message
  const isWaiting = call?.state === 'waiting'
  const readable = findReadableCall(useConnectors().data, message)
  const { data: account, error } = useConnectorAccount(readable?.connector, message.call?.credential)
  const fields = readable && readFields(readable, args, account?.time_zone ?? undefined)
  if (['', '{}'].includes(args.replaceAll(/\s+/g, '')))
    return (
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-xs text-muted">No arguments</p>
        {editButton}
      </div>
    )
  const text = indentJson(args)
  const plain = fields === undefined ? readPlainFields(args) : undefined
  if (fields === undefined)
    return (
      <>
        <CopyableText
          label="Arguments"
          size={describeSize(text, args)}
          text={text}
          height={isWaiting ? 'ten' : 'full'}
          button={editButton}
        />
        {plain !== undefined && (
          <Disclosure label="Easier to read">
            <ReadableFields fields={plain} />
          </Disclosure>
        )}
      </>
    )
  return (
    <>
      {editButton !== undefined && <div className="flex justify-end">{editButton}</div>}
      <ReadableFields fields={isWaiting ? [describeAccount(account, error), ...fields] : fields} />
      <Disclosure label="Exact arguments">
        <CopyableText label="Arguments" size={describeSize(text, args)} text={text} />
      </Disclosure>
    </>
  )
}

interface CallArgumentsProps {
  readonly message: Message
  readonly editButton?: ReactNode
}

/** Arguments of more lines are cut, so their size is shown with their label. */
const maxPlainLines = 10

function describeSize(text: string, args: string): string | undefined {
  const lines = text.split('\n').length
  if (lines <= maxPlainLines) return undefined
  return `${lines.toLocaleString('en')} lines, ${formatBytes(new TextEncoder().encode(args).length)}`
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
  readonly size?: string | undefined
  readonly text: string
  readonly height?: ToolTextProps['height']
  /** A button before the one that copies. */
  readonly button?: ReactNode
}

/** A text with its line breaks, and a button that copies it. */
function CopyableText({ label, size, text, height = 'full', button }: CopyableTextProps) {
  return (
    <div>
      <div className="flex min-h-8 items-center gap-2">
        <p className="mr-auto text-xs font-medium text-muted tabular-nums">
          {label}
          {size !== undefined && ` · ${size}`}
        </p>
        {button}
        <CopyButton title={`Copy ${label.toLowerCase()}`} text={text} />
      </div>
      <ToolText label={label} height={height}>
        <InertText>{text}</InertText>
      </ToolText>
    </div>
  )
}

/** The result without its files, which are shown even when the details are closed. */
function CallResult({ result }: { readonly result: Message }) {
  const text = textOfContent(result.content)
  const all: readonly Part[] = result.outcome?.parts ?? [{ type: 'text', text }]
  if (all.length > 0 && all.every(isFile)) return null
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

type FilePart = Extract<Part, { file: string }>
const isFile = (part: Part): part is FilePart => 'file' in part
type ShownPart = Exclude<Part, FilePart>
const isShownHere = (part: Part): part is ShownPart => !isFile(part) && !isForModel(part)

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

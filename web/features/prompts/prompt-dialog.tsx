import type { SentMessage, SentPrompt, SentTool } from '@yonder/contract/sent-prompt'
import { useEffect, type ReactNode } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { isNotFound, readReason } from '../../lib/api/api-error.ts'
import { optionalReadOptions } from '../../lib/api/api-provider.tsx'
import { formatRecent } from '../../lib/format-time.ts'
import { formatCount } from '../../lib/format-usage.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { InertText } from '../../ui/inert-text.tsx'
import { LoadingState } from '../../ui/states/states.tsx'

export interface PromptDialogProps {
  readonly chatId: string
  readonly messageId: string
  readonly onClose: () => void
}

/** What the model was given for a reply: instructions, messages and tools, with their sizes. */
export function PromptDialog({ chatId, messageId, onClose }: PromptDialogProps) {
  const { data, error } = useSentPrompt(chatId, messageId)
  return (
    <Dialog title="What the model was given" onClose={onClose}>
      {data !== undefined && <Prompt prompt={data} />}
      {data === undefined && error === undefined && <LoadingState>Loading the prompt...</LoadingState>}
      {data === undefined && error !== undefined && (
        <p className="text-sm text-muted">{explainFailure(error)}</p>
      )}
    </Dialog>
  )
}

function explainFailure(error: Error): string {
  if (isNotFound(error))
    return (
      'The prompt of this reply is not stored. The reply ended early, or the model was not called for it: of ' +
      'several tool calls made at once, only the first has a prompt.'
    )
  return `The prompt could not be loaded: ${readReason(error)}`
}

function Prompt({ prompt }: { readonly prompt: SentPrompt }) {
  const { model, time, instructions, messages, tools, missing } = prompt
  const areToolsMissing = missing.includes('tools')
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p className="text-muted tabular-nums">
        <bdi>{model}</bdi> · {formatRecent(new Date(time))} · {describeSize(prompt)}
        {describeOptions(prompt).map((option) => ` · ${option}`)}
      </p>
      {missing.length > 0 && (
        <p className="rounded-control bg-sunken px-3 py-2">
          These parts are no longer stored, because newer prompts needed the space: {missing.join(', ')}.
        </p>
      )}
      <Section title="Instructions" size={instructions?.length} isMissing={missing.includes('instructions')}>
        {instructions !== null && <Text>{instructions}</Text>}
      </Section>
      <Section title={`Messages: ${messages.length}`} size={sum(messages.map(sizeOfMessage))}>
        <ol className="divide-y divide-line">
          {messages.map((message, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the messages of a prompt never change
            <Message key={index} number={index + 1} message={message} />
          ))}
        </ol>
      </Section>
      <Section
        title={areToolsMissing ? 'Tools' : `Tools: ${tools.length}`}
        size={tools.length === 0 ? undefined : sum(tools.map(sizeOfTool))}
        isMissing={areToolsMissing}
      >
        {tools.length > 0 && (
          <ul className="divide-y divide-line">
            {tools.map((tool) => (
              <Tool key={tool.name} tool={tool} />
            ))}
          </ul>
        )}
      </Section>
    </div>
  )
}

interface SectionProps {
  readonly title: string
  /** In characters; undefined for a part that was not sent or is no longer stored. */
  readonly size: number | undefined
  /** Whether the part was sent and is no longer stored. */
  readonly isMissing?: boolean
  readonly children: ReactNode
}

function Section({ title, size, isMissing = false, children }: SectionProps) {
  const absence = isMissing ? 'no longer stored' : 'none'
  return (
    <section aria-label={title}>
      <h3 className="flex items-baseline justify-between gap-3 font-medium">
        {title}
        <span className="text-xs font-normal text-muted tabular-nums">
          {size === undefined ? absence : formatChars(size)}
        </span>
      </h3>
      {children}
    </section>
  )
}

const roles: Readonly<Record<SentMessage['role'], string>> = {
  user: 'User',
  assistant: 'Assistant',
  tool: 'Result of a tool',
}

function Message({ number, message }: { readonly number: number; readonly message: SentMessage }) {
  const { role, content, name, tool_calls: calls = [] } = message
  const label = `${number}. ${roles[role]}${name === undefined ? '' : `: ${name}`}`
  return (
    <li className="py-1.5">
      <Disclosure label={`${label}, ${formatChars(sizeOfMessage(message))}`}>
        {content !== '' && <Text>{content}</Text>}
        {calls.map((call, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the calls of a prompt never change
          <Text key={index}>{`Calls ${call.name} with ${call.arguments}`}</Text>
        ))}
      </Disclosure>
    </li>
  )
}

function Tool({ tool }: { readonly tool: SentTool }) {
  return (
    <li className="py-1.5">
      <Disclosure label={`${tool.name}, ${formatChars(sizeOfTool(tool))}`}>
        <Text>{tool.description}</Text>
        <Text>{tool.schema}</Text>
      </Disclosure>
    </li>
  )
}

function Text({ children }: { readonly children: string }) {
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long text scrolls with the keyboard too
      tabIndex={0}
      className="mt-1 max-h-80 overflow-y-auto rounded-control bg-sunken px-3 py-2 text-xs leading-5 wrap-anywhere whitespace-pre-wrap"
    >
      <InertText>{children}</InertText>
    </div>
  )
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}

// The prompt of a finished reply never changes.
const sentPromptOptions = { ...optionalReadOptions, revalidateOnReconnect: false }

/** What the model was given for a reply. */
function useSentPrompt(chatId: string, messageId: string) {
  const path = `/api/chats/${encodeURIComponent(chatId)}/messages/${encodeURIComponent(messageId)}/prompt`
  const { cache } = useSWRConfig()
  // A prompt can have millions of characters, which must not stay in memory.
  useEffect(() => () => cache.delete(path), [cache, path])
  return useSWR<SentPrompt, Error>(path, sentPromptOptions)
}

/** Returns the number of characters of a message, including its tool calls. */
function sizeOfMessage({ content, tool_calls: calls = [] }: SentMessage): number {
  return calls.reduce((size, call) => size + call.name.length + call.arguments.length, content.length)
}

/** Returns the number of characters of a tool's definition. */
function sizeOfTool({ name, description, schema }: SentTool): number {
  return name.length + description.length + schema.length
}

/** Returns the size of a prompt, or of the parts of it that are still stored, as a text. */
function describeSize({ instructions, messages, tools, missing }: SentPrompt): string {
  const sizes = [instructions?.length ?? 0, ...messages.map(sizeOfMessage), ...tools.map(sizeOfTool)]
  const chars = sizes.reduce((total, size) => total + size, 0)
  return `${formatChars(chars)} ${missing.length === 0 ? 'in all' : 'still stored'}`
}

function formatChars(chars: number): string {
  return chars === 1 ? '1 character' : `${formatCount(chars)} characters`
}

/** Returns a text for each option that was sent. */
function describeOptions(prompt: SentPrompt): string[] {
  const { temperature, top_p, reasoning_effort, max_tokens } = prompt
  return [
    ...(temperature === undefined ? [] : [`temperature ${temperature}`]),
    ...(top_p === undefined ? [] : [`top-p ${top_p}`]),
    ...(reasoning_effort === undefined ? [] : [`reasoning effort ${reasoning_effort}`]),
    ...(max_tokens === null ? [] : [`at most ${formatCount(max_tokens)} tokens`]),
  ]
}

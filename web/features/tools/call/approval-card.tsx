import type { Bot } from '@yonder/contract/bot'
import type { Connector } from '@yonder/contract/connector'
import { callExpiryMs } from '@yonder/contract/lib/call-limits'
import type { Message } from '@yonder/contract/message'
import { TriangleAlert } from 'lucide-react'
import { lazy, Suspense, useEffect, useId, useState } from 'react'
import { useBots } from '../../../data/bots.ts'
import { useChangePermissions, useLatestConnectors, useModelTool } from '../../../data/connectors.ts'
import { formatClock, formatDay } from '../../../lib/format-time.ts'
import { logError } from '../../../lib/log-error.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { FoldedText, InertText } from '../../../ui/inert-text.tsx'
import { ModelToolView } from '../../../ui/model-tool-view.tsx'
import type { CallDecisions } from './decide-call.ts'
import { DecisionButtons } from './decision-buttons.tsx'
import type { CallEdit } from './use-call-edit.ts'

// Loaded on demand, because few calls need the comparison.
const ToolChanges = lazy(async () => {
  const { ToolChanges: component } = await import('./tool-changes.tsx')
  return { default: component }
})

export interface ApprovalCardProps {
  readonly chatId: string
  /** The reply with the pending call. */
  readonly message: Message
  /** Undefined while nothing can be decided. */
  readonly decide: CallDecisions | undefined
  readonly edit: CallEdit
  /** Whether the user has not yet seen the end of a text that belongs to the question. */
  readonly isCut: boolean
  /** The look of 'Allow Once'. */
  readonly look?: 'primary' | 'quiet' | undefined
}

/**
 * Asks the user for approval before a tool runs: what the call does, and three buttons.
 */
export function ApprovalCard(props: ApprovalCardProps) {
  const { data: connectors, error } = useLatestConnectors()
  // The description of the tool appears above the buttons, which must not move under the pointer.
  const isLoading = connectors === undefined && error === undefined
  return <CallQuestion {...props} connectors={connectors} isLoading={isLoading} isOnce={false} />
}

export interface CallQuestionProps extends ApprovalCardProps {
  readonly connectors: readonly Connector[] | undefined
  readonly isLoading: boolean
  /** Whether only this call can be allowed, and not its tool: it is a later one of its step. */
  readonly isOnce: boolean
}

/** What a call does, and the buttons that decide about it. */
export function CallQuestion(props: CallQuestionProps) {
  const { chatId, message, decide, edit, isCut, look = 'primary', connectors, isLoading, isOnce } = props
  const { server = '', tool = '', call } = message
  const connector = connectors?.find(({ name }) => name === server)
  // If the tool has changed since the call, its new description would be misleading.
  const known = connector?.tools.find(
    ({ name, fingerprint }) => name === tool && fingerprint === call?.fingerprint,
  )
  const { data: bots } = useBots()
  const cutNote = useId()
  const obstacle = findObstacle(connectors, bots, message)
  const permissions = useChangePermissions()
  const { edited } = edit

  const allowAlways = async () => {
    if (connectors !== undefined && connector === undefined) {
      logError(`The tool "${tool}" is not always allowed: there is no connector "${server}"`)
      return true
    }
    const tools = [{ name: tool, permission: 'allow', fingerprint: call?.fingerprint ?? '' } as const]
    return (await permissions.run({ connector: server, tools, credential: call?.credential })).done
  }
  const isAlwaysAsked = call?.always_asks === true
  return (
    <div className="flex flex-col gap-3 border-t border-line p-3">
      <output className="empty:sr-only">{obstacle !== undefined && <Obstacle reason={obstacle} />}</output>
      {call?.changes !== undefined && call.changes.length > 0 && (
        <Suspense>
          <ToolChanges changes={call.changes} />
        </Suspense>
      )}
      <p className="wrap-anywhere">
        {call?.place !== undefined && (
          <span className="mr-2 text-muted tabular-nums">
            {call.place.index} of {call.place.total}
          </span>
        )}
        Allow{' '}
        <bdi className="font-medium">
          <InertText>{server}</InertText>
        </bdi>
        {connector !== undefined && ` (${describeAddress(connector)})`} to run this tool with{' '}
        {edited === undefined ? 'these arguments?' : 'your arguments? The model is told what you changed.'}
      </p>
      {known !== undefined && known.description !== '' && (
        <p className="text-xs text-muted">
          <FoldedText>{known.description}</FoldedText>
        </p>
      )}
      {connector?.tools.some(({ name }) => name === tool) === true && (
        <Disclosure label="What the model reads">
          <ModelTool server={server} tool={tool} fingerprint={call?.fingerprint} />
        </Disclosure>
      )}
      <DecisionButtons
        chatId={chatId}
        message={message}
        decide={isLoading || decide === undefined ? undefined : withEdit(decide, edit)}
        allowAlways={{ run: allowAlways, pending: permissions.pending }}
        isOnce={isOnce || isAlwaysAsked || edit.draft !== undefined}
        isBlocked={connector !== undefined && isBlocked(connector, tool)}
        canOnlyDeny={edit.draft?.isOpen === true}
        look={obstacle === undefined && edit.draft?.isOpen !== true ? look : 'quiet'}
        subject={isOnce ? (call?.title ?? tool) : undefined}
        note={isCut ? cutNote : undefined}
      />
      {/* Below the buttons, so that they do not move when the user has read to the end. */}
      {isAlwaysAsked && (
        <p className="text-xs text-muted">The operator of this server wants this tool to ask every time.</p>
      )}
      {isCut && (
        <p id={cutNote} className="flex items-start gap-2 text-xs text-warning">
          <TriangleAlert size={16} aria-hidden className="shrink-0" />
          Not everything above is shown. What matters can be at its end.
        </p>
      )}
      {call?.asked_at !== undefined && <Expiry at={call.asked_at + callExpiryMs} />}
    </div>
  )
}

/** Allows with the arguments that the user has changed, if there are any. */
export function withEdit(decide: CallDecisions, { edited, refuse }: CallEdit): CallDecisions {
  if (edited === undefined) return decide
  const onRefused = (reason: string) => refuse(edited, reason)
  return { ...decide, allow: () => decide.allow({ text: edited, onRefused }) }
}

/** From this time before the end on, the card says until when the call waits. */
const noticeMs = 2 * 60 * 60 * 1_000

/** Until when a call waits, once that is soon. `at` is in milliseconds since 1970. */
function Expiry({ at }: { readonly at: number }) {
  const [text, setText] = useState(() => describeEnd(at))
  useEffect(() => {
    const timer = setTimeout(() => setText(describeEnd(at)), at - noticeMs - Date.now())
    return () => clearTimeout(timer)
  }, [at])
  return text !== undefined && <p className="text-xs text-muted">{text}</p>
}

function describeEnd(at: number): string | undefined {
  const [now, end] = [new Date(), new Date(at)]
  if (at - now.getTime() > noticeMs) return undefined
  return `Waits until ${formatDay(now) === formatDay(end) ? '' : 'tomorrow '}${formatClock(end)}`
}

/** Shows why the call will not run. The user can still allow it; the model then gets the reason. */
function Obstacle({ reason }: { readonly reason: string }) {
  return (
    <span className="flex items-start gap-2">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warning" />
      <span className="min-w-0 wrap-anywhere">
        <span className="font-medium text-warning">
          <InertText>{reason}</InertText>
        </span>{' '}
        The call will not run. If you allow it, the model gets this reason.
      </span>
    </span>
  )
}

interface ModelToolProps {
  readonly server: string
  readonly tool: string
  readonly fingerprint: string | undefined
}

function ModelTool({ server, tool, fingerprint }: ModelToolProps) {
  return <ModelToolView read={useModelTool(server, tool)} fingerprint={fingerprint} />
}

/** Returns the host that receives the calls of a connector, or 'built in'; the whole address if it is no URL. */
function describeAddress({ url, is_default }: Pick<Connector, 'url' | 'is_default'>): string {
  if (!URL.canParse(url)) return url
  const { protocol, host } = new URL(url)
  return is_default && !/^https?:$/.test(protocol) ? 'built in' : host
}

/**
 * Returns why a waiting call will no longer run, according to the user's current connectors and bots. Returns undefined
 * when it can run, and while the connectors are not loaded.
 */
export function findObstacle(
  connectors: readonly Connector[] | undefined,
  bots: readonly Bot[] | undefined,
  { server = '', tool = '', bot: botName, call }: Message,
): string | undefined {
  if (connectors === undefined) return undefined
  const connector = connectors.find(({ name }) => name === server)
  if (connector === undefined) return `"${server}" is no longer one of your connectors.`
  // If this bot no longer exists, the selected bot continues the turn, and the connectors of that bot are unknown here.
  const bot = bots?.find(({ name }) => name === botName)
  if (bot?.connectors?.includes(server) === false) return `The bot "${bot.name}" may not use "${server}".`
  if (hasChanged(call?.credential, connector.credential))
    return `"${server}" was added again, or its address, credential or account has changed since the model made this call.`
  if (isBlocked(connector, tool)) return 'You have blocked this tool.'
  if (connector.status === 'disconnected') return `"${server}" is disconnected.`
  const known = connector.tools.find(({ name }) => name === tool)
  if (known === undefined) return `"${server}" no longer has this tool.`
  if (known.problem !== null) return `This tool cannot be used: ${known.problem}.`
  if (hasChanged(call?.fingerprint, known.fingerprint))
    return 'This tool has changed since the model made this call.'
  return undefined
}

/** Whether the user has blocked a tool. A blocked tool cannot be always allowed. */
function isBlocked({ block_tools = [] }: Pick<Connector, 'block_tools'>, tool: string): boolean {
  return block_tools.includes(tool)
}

/** Whether both are known and differ. */
function hasChanged(seen: string | undefined, current: string | undefined): boolean {
  return seen !== undefined && current !== undefined && seen !== current
}

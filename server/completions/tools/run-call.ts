import { setTimeout as wait } from 'node:timers/promises'
import type { UnnumberedEvent } from '@yonder/contract/completion'
import type { Elicitation, ElicitationAnswer } from '@yonder/contract/elicitation'
import type { ToolProgress } from '@yonder/contract/tool-call'
import { interruptedCall, stoppedCall, type ToolOutcome } from '../../connectors/calls/tool-call.ts'
import type { CallProgress } from '../../connectors/mcp/call-server-tool.ts'
import type { ReadBotConnectors } from '../../connectors/tools/resolve-tool.ts'
import type { User } from '../../identity/user.ts'
import { unlessAborted } from '../../lib/abort.ts'
import { newId } from '../../lib/new-id.ts'
import { cleanText } from '../../lib/text.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { PendingElicitations } from '../log/active-runs.ts'
import type { ToolInvocation } from '../run.ts'

/** Milliseconds between two progress events. A server may send thousands. */
const minProgressIntervalMs = 250
/** Characters of the message of a progress event. */
const maxProgressChars = 300
/** Milliseconds for which an aborted call may still return its own outcome. */
const stopGraceMs = 300

export interface CallFrame {
  readonly user: User
  readonly chatId: string
  readonly botId: string
  readonly readBotConnectors?: ReadBotConnectors
  readonly signal: AbortSignal
  readonly elicitations: PendingElicitations
  readonly onEvent: (event: UnnumberedEvent) => void
}

/**
 * Runs a call once and returns its outcome; emits progress, connection statuses and elicitations as events. After an
 * abort, returns within `stopGraceMs`.
 */
export async function runCall(
  { connectors }: Pick<CompletionDeps, 'connectors'>,
  invocation: ToolInvocation,
  frame: CallFrame,
): Promise<ToolOutcome> {
  const { replyId, connectorId, connectorName, toolName, fingerprint, credential } = invocation
  const { user, signal } = frame
  if (invocation.refusal !== undefined) return invocation.refusal
  if (connectorId === null) throw new Error(`the call of reply ${replyId} has no connector`)
  let isOver = false
  let wasSent = false
  // A call may still send events after it was abandoned.
  const emit = (event: UnnumberedEvent): void => {
    if (!isOver) frame.onEvent(event)
  }
  const progress = new ProgressThrottle((latest) =>
    emit({ type: 'tool_progress', message_id: replyId, progress: latest }),
  )
  try {
    const called = connectors.callTool({
      user,
      connectorId,
      connectorName,
      toolName,
      arguments: invocation.arguments,
      approval: invocation.approval,
      decided: invocation.decided,
      ...(frame.readBotConnectors === undefined ? {} : { readBotConnectors: frame.readBotConnectors }),
      ...(fingerprint === undefined ? {} : { fingerprint }),
      ...(credential === undefined ? {} : { credential }),
      chatId: frame.chatId,
      botId: frame.botId,
      signal,
      onSend: () => {
        wasSent = true
      },
      onProgress: (reported) => progress.report(reported),
      onStatus: (status) => emit({ type: 'mcp_status', ...status }),
      onElicit: (elicitation, answerSignal) =>
        elicit(elicitation, replyId, { ...frame, onEvent: emit }, answerSignal),
    })
    const outcome = await unlessAborted(called, signal, async () => {
      await wait(stopGraceMs)
      return stoppedCall(wasSent)
    })
    return signal.reason === 'interrupted' && outcome.status === 'stopped'
      ? interruptedCall(wasSent)
      : outcome
  } finally {
    isOver = true
    progress.end()
  }
}

async function elicit(
  elicitation: Elicitation,
  replyId: string,
  { elicitations, onEvent }: CallFrame,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const id = newId()
  onEvent({ type: 'tool_question', message_id: replyId, question: { ...elicitation, id } })
  const answer = await elicitations.wait(id, signal)
  onEvent({ type: 'tool_question', message_id: replyId, question: null })
  return answer
}

/** Emits the latest progress, at most once per interval. */
class ProgressThrottle {
  readonly #emit: (progress: ToolProgress) => void
  #latest: ToolProgress | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(emit: (progress: ToolProgress) => void) {
    this.#emit = emit
  }

  report({ progress, total, message }: CallProgress): void {
    const text = message === undefined ? '' : cleanText(message.slice(0, maxProgressChars)).trim()
    const hasNumber = Number.isFinite(progress) && progress >= 0
    if (!hasNumber && text === '') return
    // Servers send totals of 0 or -1 for unknown ones, and totals that they exceed.
    const hasTotal =
      hasNumber && total !== undefined && Number.isFinite(total) && total > 0 && total >= progress
    this.#latest = {
      ...(hasNumber ? { progress } : {}),
      ...(hasTotal ? { total } : {}),
      ...(text === '' ? {} : { message: text }),
    }
    if (this.#timer === undefined) this.#send()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#latest = undefined
  }

  #send(): void {
    this.#timer = undefined
    if (this.#latest === undefined) return
    this.#emit(this.#latest)
    this.#latest = undefined
    this.#timer = setTimeout(() => this.#send(), minProgressIntervalMs)
  }
}

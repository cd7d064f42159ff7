import type { UnnumberedEvent } from '@yonder/contract/completion'
import type { Elicitation, ElicitationAnswer } from '@yonder/contract/elicitation'
import type { ToolProgress } from '@yonder/contract/tool-call'
import { setTimeout as wait } from 'node:timers/promises'
import { cleanText } from '../../lib/clean-text.ts'
import { failure } from '../../connectors/calls/tool-outcome.ts'
import type { ToolOutcome } from '../../connectors/calls/tool-outcome.ts'
import { newId } from '../../lib/new-id.ts'
import type { User } from '../../identity/user.ts'
import { onAbort } from '../../lib/abort.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import type { OpenQuestions } from './pending-elicitations.ts'
import type { HandedCall } from '../loop/run-completion.ts'

/** Milliseconds between two notes of progress, of which a server may send thousands. */
const progressInterval = 250
/** Characters of what a server says of its progress. */
const longestProgress = 300
/** Milliseconds that a stopped call may take to say how it ended. */
const stopGrace = 300

export interface CallFrame {
  readonly user: User
  readonly signal: AbortSignal
  readonly questions: OpenQuestions
  readonly onEvent: (event: UnnumberedEvent) => void
}

/** Runs a call once and says how it went, with its progress and its questions on the way. Ends soon after an abort. */
export async function runCall(
  { connectors }: Pick<CompletionDeps, 'connectors'>,
  call: HandedCall,
  frame: CallFrame,
): Promise<ToolOutcome> {
  const { signal } = frame
  let over = false
  // A call that is let go after a stop may still have something to say.
  const tell = (event: UnnumberedEvent): void => {
    if (!over) frame.onEvent(event)
  }
  if (call.unknown) return failure(`There is no tool named "${call.toolName}".`)
  const progress = new ProgressNotes((note) =>
    tell({ type: 'tool_progress', message_id: call.replyId, progress: note }),
  )
  const stop = stopped(signal)
  try {
    const called = connectors.callTool({
      user: frame.user,
      connectorName: call.connectorName,
      toolName: call.toolName,
      arguments: call.arguments,
      approval: call.approval,
      ...(call.fingerprint === undefined ? {} : { fingerprint: call.fingerprint }),
      signal,
      onProgress: (note) => progress.note(note),
      onElicit: (question, ends) => askPerson(question, call, { ...frame, onEvent: tell }, ends),
    })
    const outcome = await Promise.race([called, stop.ended])
    return signal.reason === 'interrupted' && outcome.status === 'stopped' ? cutOff() : outcome
  } finally {
    over = true
    stop.leave()
    progress.end()
  }
}

async function askPerson(
  question: Elicitation,
  { replyId }: HandedCall,
  { questions, onEvent }: CallFrame,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const id = newId()
  onEvent({ type: 'tool_question', message_id: replyId, question: { ...question, id } })
  const answer = await questions.wait(id, signal)
  onEvent({ type: 'tool_question', message_id: replyId, question: null })
  return answer
}

/** The latest note is told, and not more often than a person can read. */
class ProgressNotes {
  readonly #tell: (progress: ToolProgress) => void
  #waiting: ToolProgress | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(tell: (progress: ToolProgress) => void) {
    this.#tell = tell
  }

  note(given: {
    readonly progress: number
    readonly total: number | undefined
    readonly message: string | undefined
  }): void {
    if (!Number.isFinite(given.progress)) return
    this.#waiting = {
      progress: given.progress,
      ...(Number.isFinite(given.total) ? { total: given.total } : {}),
      ...(given.message === undefined ? {} : { message: cleanText(given.message.slice(0, longestProgress)) }),
    }
    if (this.#timer === undefined) this.#send()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#waiting = undefined
  }

  #send(): void {
    this.#timer = undefined
    if (this.#waiting === undefined) return
    this.#tell(this.#waiting)
    this.#waiting = undefined
    this.#timer = setTimeout(() => this.#send(), progressInterval)
  }
}

/** How a call ends that does not end by itself soon after an abort. */
function stopped(signal: AbortSignal): { readonly ended: Promise<ToolOutcome>; leave(): void } {
  let leave = (): void => undefined
  const ended = new Promise<ToolOutcome>((resolve) => {
    leave = onAbort(signal, () => {
      void wait(stopGrace).then(() => resolve(failure('The call was stopped.', { status: 'stopped' })))
    })
  })
  return { ended, leave: () => leave() }
}

/** The result of a call during which its server went down. */
export function cutOff(): ToolOutcome {
  return failure('The server went down during the call. Whether the tool did its work is not known.', {
    status: 'interrupted',
  })
}

import type { BatchCall, RemainingCalls } from '../../chats/tool-call-store.ts'
import type { ToolInvocation } from '../tools/tool-invocation.ts'
import { abortedEnding, failed, type RunEnding } from './call-model.ts'

/**
 * How often one run asks the model for a reply. Summaries and repetitions of a refused request do not count.
 */
export const maxRounds = 50
/** Tool calls of one run, without a first one that was just approved. Limited because all their results are stored. */
export const maxCalls = 200

/** What a run does next with the open reply. */
export type RunStep =
  | { readonly kind: 'call_model' }
  /** The reply makes the first of the remaining calls of a batch. */
  | ({ readonly kind: 'dispatch' } & RemainingCalls)
  | { readonly kind: 'invoke'; readonly invocation: ToolInvocation }

/** The effects of the loop. Their outcomes go into the log, which stores them and shows them to the user. */
export interface RunActions {
  /** Returns how the run ends when its texts or the chat leave no room for another reply or result. */
  findLimitEnding(): RunEnding | undefined
  /** Calls the model and writes its text into the open reply. */
  callModel(): Promise<{ readonly ending: RunEnding; readonly calls: readonly BatchCall[] }>
  /** Writes the first call into the open reply. Returns undefined when the call needs approval. */
  dispatch(remaining: RemainingCalls): Promise<ToolInvocation | undefined>
  /** Runs a call, once, and stores its result. */
  invoke(invocation: ToolInvocation): Promise<void>
  /** Opens another reply after the tool's result. */
  openReply(): Promise<void>
}

/**
 * The loop of a run: calls the model, dispatches its tool calls, invokes those that need no approval, and calls the
 * model again, until it fails or replies without a call, a call needs approval, a limit is reached, or the run is
 * aborted. All effects are in `actions`. Rejects only when an action does.
 */
export async function runCompletion(
  first: RunStep,
  actions: RunActions,
  signal: AbortSignal,
): Promise<RunEnding> {
  let step = first
  let rounds = 0
  let calls = 0
  // A call that is stored as running needs a result, even after an abort.
  while (!signal.aborted || step.kind === 'invoke') {
    const limitEnding = step.kind === 'invoke' ? undefined : actions.findLimitEnding()
    if (limitEnding !== undefined) return limitEnding
    switch (step.kind) {
      case 'call_model': {
        if (rounds++ === maxRounds) return tooMany(maxRounds)
        const result = await actions.callModel()
        if (result.calls.length === 0) return result.ending
        step = { kind: 'dispatch', calls: result.calls, total: result.calls.length }
        break
      }
      case 'dispatch': {
        if (calls++ === maxCalls) return tooMany(maxCalls)
        const invocation = await actions.dispatch(step)
        if (invocation === undefined) return { status: 'complete' }
        step = { kind: 'invoke', invocation }
        break
      }
      case 'invoke': {
        const { remaining } = step.invocation
        await actions.invoke(step.invocation)
        if (signal.aborted) return abortedEnding(signal)
        await actions.openReply()
        step = nextStep(remaining)
        break
      }
    }
  }
  return abortedEnding(signal)
}

/** Returns the step after a call: the next call of its batch, or the model when none is left. */
export function nextStep(remaining: RemainingCalls): RunStep {
  return remaining.calls.length === 0 ? { kind: 'call_model' } : { kind: 'dispatch', ...remaining }
}

function tooMany(times: number): RunEnding {
  return failed(
    'output_limit',
    `The model used tools ${times} times without finishing its reply, so it was stopped. Send a message to continue.`,
  )
}

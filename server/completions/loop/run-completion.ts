import type { RemainingCalls } from '../../chats/tool-call-store.ts'
import type { RunStep, RunActions, RunEnding } from '../run.ts'
import { abortedEnding, failed } from './call-model.ts'

/**
 * How often one run asks the model for a reply. Summaries and repetitions of a refused request do not count.
 */
export const maxRounds = 50
/** Tool calls of one run, without a first one that was just approved. Limited because all their results are stored. */
export const maxCalls = 200

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
        step = nextStep(remaining)
        await actions.openReply(step.kind === 'call_model')
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

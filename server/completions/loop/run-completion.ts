import type { BatchCall } from '../../chats/stored-call.ts'
import { abortedEnding, failed } from './ask-model.ts'
import type { RunEnding } from './ask-model.ts'

/** How often one run asks its model. */
export const mostRounds = 50
/** How many calls one run makes: their results are kept. */
export const mostCalls = 200

/** A call that stands in a reply and runs. */
export interface HandedCall {
  /** The reply that makes it. */
  readonly replyId: string
  readonly connectorName: string
  readonly toolName: string
  /** The text of a JSON object. */
  readonly arguments: string
  /** The model made the tool up. */
  readonly unknown: boolean
  readonly approval: 'once' | 'listed' | 'no_list'
  readonly fingerprint: string | undefined
  /** The calls of the same turn that come after it. */
  readonly rest: readonly BatchCall[]
}

/** What a run does next with the reply that is open. */
export type RunStep =
  | { readonly kind: 'ask' }
  /** The first of the calls goes into the reply; `continues` says that their turn has begun before it. */
  | { readonly kind: 'hand_out'; readonly calls: readonly BatchCall[]; readonly continues: boolean }
  | { readonly kind: 'call'; readonly call: HandedCall }

/** What the loop needs done. All of it is stored and shown by whoever does it. */
export interface RunActions {
  /** Asks the model, whose answer goes into the open reply. */
  ask(): Promise<{ readonly ending: RunEnding; readonly calls: readonly BatchCall[] }>
  /** Gives the call when it may run now; nothing when its person has to allow it first. */
  handOut(calls: readonly BatchCall[], continues: boolean): Promise<HandedCall | undefined>
  /** Runs a call, once, and stores its result. */
  call(call: HandedCall): Promise<void>
  /** Opens another reply, to the result. */
  reply(): Promise<void>
}

/**
 * The loop of a run: asks the model, hands out what it calls, runs what may run, and asks again, until the model has
 * answered, a call waits for its person, or the run is aborted. Does nothing itself. Rejects only as its actions do.
 */
export async function runCompletion(
  first: RunStep,
  actions: RunActions,
  signal: AbortSignal,
): Promise<RunEnding> {
  let step = first
  let rounds = 0
  let calls = 0
  // A call that is on record as running gets its result in any case.
  while (!signal.aborted || step.kind === 'call') {
    switch (step.kind) {
      case 'ask': {
        if (rounds++ === mostRounds) return tooMany(mostRounds)
        const answer = await actions.ask()
        if (answer.calls.length === 0) return answer.ending
        step = { kind: 'hand_out', calls: answer.calls, continues: false }
        break
      }
      case 'hand_out': {
        if (calls++ === mostCalls) return tooMany(mostCalls)
        const call = await actions.handOut(step.calls, step.continues)
        if (call === undefined) return { status: 'complete' }
        step = { kind: 'call', call }
        break
      }
      case 'call': {
        const { rest } = step.call
        await actions.call(step.call)
        if (signal.aborted) return abortedEnding(signal)
        await actions.reply()
        step = rest.length === 0 ? { kind: 'ask' } : { kind: 'hand_out', calls: rest, continues: true }
        break
      }
    }
  }
  return abortedEnding(signal)
}

function tooMany(times: number): RunEnding {
  return failed(
    'output_limit',
    `The model used tools ${times} times in a row without an answer, so it was stopped. Send a message to let it go on.`,
  )
}

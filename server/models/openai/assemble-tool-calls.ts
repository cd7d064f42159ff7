import { normalizeText } from '../../lib/text.ts'
import { ModelFailure } from '../failure.ts'
import type { ModelToolCall } from '../model.ts'
import { truncatedCall, newCallId, readArguments, readCallArguments } from '../reply-parts.ts'

interface PartialCall {
  readonly index: number | undefined
  id: string
  name: string
  arguments: string
  extra: unknown
}

/** One chunk of a call; a field that the upstream did not send is `undefined`. */
export interface ToolCallChunk {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  readonly arguments: string | undefined
  /** Data that the upstream expects back with the call. */
  readonly extra: unknown
}

/** A complete call, with the data that its upstream expects back. */
export interface AssembledCall extends ModelToolCall {
  readonly extra: unknown
}

export interface ToolCallAssembler {
  readonly count: number
  /** Adds a chunk. Returns the number of characters of its name and arguments. */
  push(chunk: ToolCallChunk): number
  /**
   * Returns the calls. A call whose arguments are not a JSON object is marked, because it must never run.
   * @throws ModelFailure when a call was cut by the length limit or has no name
   */
  end(upstream: string, cutByLimit: boolean): AssembledCall[]
}

/** Creates an assembler of tool calls, which matches their chunks by index and id, or by order when they have none. */
export function createToolCallAssembler(): ToolCallAssembler {
  const calls: PartialCall[] = []

  function find(chunk: ToolCallChunk): PartialCall {
    const known = calls.findLast((call) =>
      chunk.index !== undefined
        ? call.index === chunk.index && (chunk.id === undefined || chunk.id === call.id || call.id === '')
        : chunk.id === undefined || chunk.id === call.id,
    )
    // Some servers send each call complete, without an id and all with the same index: then a name starts a new call.
    const hasNewName =
      known !== undefined && chunk.id === undefined && chunk.name !== undefined && known.name !== ''
    if (known !== undefined && !(hasNewName && isComplete(known.arguments))) return known
    const call: PartialCall = { index: chunk.index, id: '', name: '', arguments: '', extra: undefined }
    calls.push(call)
    return call
  }

  return {
    get count() {
      return calls.length
    },
    push(chunk) {
      const call = find(chunk)
      if (chunk.id !== undefined) call.id = chunk.id
      call.extra ??= chunk.extra
      if (chunk.name !== undefined && call.name !== chunk.name) call.name += chunk.name
      if (chunk.arguments !== undefined) call.arguments += chunk.arguments
      return (chunk.name?.length ?? 0) + (chunk.arguments?.length ?? 0)
    },
    end(upstream, cutByLimit) {
      return completeCalls(calls, upstream, cutByLimit).map((call, index) => ({
        ...call,
        extra: calls[index]?.extra,
      }))
    },
  }
}

/**
 * Completes calls that were received as text: each gets an id of its own, and a mark when its arguments are not a JSON
 * object.
 * @throws ModelFailure when a call was cut by the length limit or has no name
 */
export function completeCalls(
  calls: readonly Pick<PartialCall, 'id' | 'name' | 'arguments'>[],
  upstream: string,
  cutByLimit: boolean,
): ModelToolCall[] {
  const used = new Set<string>()
  return calls.map((call) => {
    const sent = readCallArguments(call.arguments)
    // Arguments that were cut by the length limit are not a mistake of the model that it could correct.
    if ((sent.isBroken && cutByLimit) || call.name === '') throw invalidCall(upstream, cutByLimit)
    const id = call.id === '' || used.has(call.id) ? newCallId() : normalizeText(call.id)
    used.add(id)
    return { id, name: normalizeText(call.name), ...sent }
  })
}

function invalidCall(upstream: string, cutByLimit: boolean): ModelFailure {
  return cutByLimit
    ? truncatedCall()
    : new ModelFailure(
        'upstream_invalid',
        `${upstream} sent an invalid tool call, so the tool was not run. Try again.`,
      )
}

function isComplete(text: string): boolean {
  return text !== '' && readArguments(text) !== undefined
}

import { normalizeText } from '../../lib/text.ts'
import { ModelFailure } from '../failure.ts'
import type { ModelToolCall } from '../model.ts'
import { truncatedCall, newCallId, readArguments, readCallArguments } from '../reply-parts.ts'

/** Arguments that arrive in pieces. */
export interface PartialArguments {
  /** The pieces, joined. */
  arguments: string
  /** The last piece, while each piece repeats the one before or all before: it may be the whole arguments. */
  whole: string | undefined
}

interface PartialCall extends PartialArguments {
  readonly index: number | undefined
  id: string
  name: string
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

/**
 * Creates an assembler of tool calls. A chunk belongs to the call with its index and id, else with its index, else with
 * its id, else to the last one; `startsCall` has the exceptions. `assemble-tool-calls.test.ts` lists what servers send.
 */
export function createToolCallAssembler() {
  const calls: PartialCall[] = []

  function find({ index, id, name, arguments: text }: ToolCallChunk): PartialCall | undefined {
    const withId = id === undefined ? undefined : calls.findLast((call) => call.id === id)
    if (index === undefined) return withId ?? calls.at(-1)
    const withIndex = calls.filter((call) => call.index === index)
    const known = withIndex.findLast((call) => call.id === id) ?? withIndex.at(-1)
    if (known !== undefined || name !== undefined) return known
    // Some servers count the chunks of a call in its index.
    return withId ?? (id === undefined && text !== undefined ? calls.at(-1) : undefined)
  }

  function open(chunk: ToolCallChunk): PartialCall {
    const known = find(chunk)
    if (known !== undefined && !startsCall(known, chunk)) return known
    const call: PartialCall = {
      index: chunk.index,
      id: '',
      name: '',
      arguments: '',
      whole: '',
      extra: undefined,
    }
    calls.push(call)
    return call
  }

  return {
    get count() {
      return calls.length
    },
    /** Adds a chunk. Returns the number of characters of its name and arguments. */
    push(chunk: ToolCallChunk): number {
      const call = open(chunk)
      // When each chunk has another id, the first is the id of the call.
      if (chunk.id !== undefined && call.id === '') call.id = chunk.id
      call.extra ??= chunk.extra
      if (chunk.name !== undefined)
        call.name = chunk.name.startsWith(call.name) ? chunk.name : `${call.name}${chunk.name}`
      if (chunk.arguments !== undefined) addArguments(call, chunk.arguments)
      return (chunk.name?.length ?? 0) + (chunk.arguments?.length ?? 0)
    },
    /**
     * Returns the calls, each with the data that its upstream expects back. A call whose arguments are not a JSON object
     * is marked, because it must never run.
     * @throws ModelFailure when a call was cut by the length limit or has no name
     */
    end(upstream: string, cutByLimit: boolean) {
      const received = calls.map((call) => ({ ...call, arguments: chooseArguments(call) }))
      return completeCalls(received, upstream, cutByLimit).map((call, index) => ({
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

/** Whether a chunk starts a call although `known` has its index or id. Only a name starts a call. */
function startsCall(known: PartialCall, { id, name, arguments: text = '' }: ToolCallChunk): boolean {
  if (name === undefined || known.name === '') return false
  // Some servers send each call complete, and all with the same index, or with the same id too.
  if (id === undefined) return isComplete(known.arguments)
  if (id === known.id) return text !== known.arguments && isComplete(text) && isComplete(known.arguments)
  if (known.id === '') return isComplete(known.arguments)
  // Another id starts a call, unless its chunk continues what is not complete.
  return name !== known.name || text === '' || isComplete(text) || isComplete(known.arguments)
}

export function addArguments(call: PartialArguments, text: string): void {
  const repeats = text.startsWith(call.arguments) || (call.whole !== undefined && text.startsWith(call.whole))
  call.whole = repeats ? text : undefined
  call.arguments = joinArguments(call.arguments, text)
}

/** Some servers send the arguments so far with each piece, or the whole ones after the pieces. */
export function chooseArguments({ arguments: joined, whole = '' }: PartialArguments): string {
  return !isComplete(joined) && isComplete(whole) ? whole : joined
}

/** Some servers start with an empty object, or end with the whole arguments once more. */
function joinArguments(known: string, text: string): string {
  if (known === '{}' && text.startsWith('{')) return text
  return known === text && isComplete(known) ? known : known + text
}

function isComplete(text: string): boolean {
  return text.trimEnd().endsWith('}') && readArguments(text) !== undefined
}

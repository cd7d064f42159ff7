import { normalizeText } from '../../lib/normalize-text.ts'
import { newCallId, readArguments } from '../tool-arguments.ts'
import { ModelFailure } from '../failure.ts'
import type { ModelToolCall } from '../model.ts'

interface OpenCall {
  readonly index: number | undefined
  id: string
  name: string
  arguments: string
  extra: unknown
}

/** One piece of a call as upstreams send it: whatever is missing is `undefined`. */
export interface ToolCallPiece {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  readonly arguments: string | undefined
  /** What the upstream wants back with the call. */
  readonly extra: unknown
}

/** A whole call, with what its upstream wants back. */
export interface AssembledCall extends ModelToolCall {
  readonly extra: unknown
}

export interface ToolCallAssembler {
  readonly count: number
  /** Returns how many characters were added. */
  push(piece: ToolCallPiece): number
  /** The whole calls; throws a `ModelFailure` when one of them is broken, so that half a call never runs. */
  end(upstream: string, cutByLimit: boolean): AssembledCall[]
}

/** Puts tool calls together from pieces, keyed by index, else by id, else by order. */
export function assembleToolCalls(): ToolCallAssembler {
  const calls: OpenCall[] = []

  function find(piece: ToolCallPiece): OpenCall {
    const known = calls.findLast((call) =>
      piece.index !== undefined
        ? call.index === piece.index && (piece.id === undefined || piece.id === call.id || call.id === '')
        : piece.id === undefined || piece.id === call.id,
    )
    // Some servers send every whole call under the same index and without ids: a second name is a second call.
    const another =
      known !== undefined && piece.id === undefined && piece.name !== undefined && known.name !== ''
    if (known !== undefined && !(another && isWhole(known.arguments))) return known
    const call: OpenCall = { index: piece.index, id: '', name: '', arguments: '', extra: undefined }
    calls.push(call)
    return call
  }

  return {
    get count() {
      return calls.length
    },
    push(piece) {
      const call = find(piece)
      if (piece.id !== undefined) call.id = piece.id
      call.extra ??= piece.extra
      if (piece.name !== undefined && call.name !== piece.name) call.name += piece.name
      if (piece.arguments !== undefined) call.arguments += piece.arguments
      return (piece.name?.length ?? 0) + (piece.arguments?.length ?? 0)
    },
    end(upstream, cutByLimit) {
      const used = new Set<string>()
      return calls.map((call) => {
        const text = readArguments(call.arguments)
        if (text === undefined || call.name === '') throw brokenCall(upstream, cutByLimit)
        const id = call.id === '' || used.has(call.id) ? newCallId() : normalizeText(call.id)
        used.add(id)
        return { id, name: normalizeText(call.name), arguments: text, extra: call.extra }
      })
    },
  }
}

function brokenCall(upstream: string, cutByLimit: boolean): ModelFailure {
  return cutByLimit
    ? new ModelFailure(
        'output_limit',
        'The answer reached its length limit in the middle of a tool call, so the tool was not run.',
      )
    : new ModelFailure('upstream_invalid', `${upstream} sent a broken tool call, so the tool was not run.`)
}

function isWhole(text: string): boolean {
  return text !== '' && readArguments(text) !== undefined
}

import type { EndedStatus } from '@yonder/contract/completion'
import type { ErrorDetail } from '@yonder/contract/error'
import type { CutReason } from '@yonder/contract/message'
import type { FinishReason, ModelPart, ModelRequest, ModelStream, ModelToolCall } from '../../models/model.ts'
import { onAbort } from '../../lib/abort.ts'
import type { RunChunk, RunRecorder } from '../log/run-recorder.ts'

/** Characters of an answer, thinking included, after which it is ended. */
export const longestAnswer = 1_000_000

/**
 * Characters of the calls of one answer: each reply that makes one of them keeps those that come after it. What the first
 * one carries for all of them is kept once.
 */
export const longestCalls = 300_000

/** How a run ended. */
export interface RunEnding {
  readonly status: EndedStatus
  /** Only with `failed`. */
  readonly error?: ErrorDetail
  /** Only with `complete`. */
  readonly finish?: CutReason
}

/** Why a run is aborted: a person stopped it, or its server goes down. It is the reason of the abort signal. */
export type AbortReason = 'stopped' | 'interrupted'

/** What one question to the model brought. */
export interface ModelAnswer {
  readonly ending: RunEnding
  /** In the order in which the model asked for them; none unless the answer is complete. */
  readonly calls: readonly ModelToolCall[]
}

export interface AskModelOptions {
  readonly model: ModelStream
  readonly request: ModelRequest
  /** Aborted with an `AbortReason`. */
  readonly signal: AbortSignal
  /** Pulls the reply. */
  readonly recorder: Pick<RunRecorder, 'readFrom' | 'onReadable' | 'endReading'>
}

/**
 * Calls the model once; the recorder pulls its reply as events. Never rejects; the upstream is aborted before it
 * resolves.
 */
export async function askModel({ model, request, signal, recorder }: AskModelOptions): Promise<ModelAnswer> {
  const upstream = new AbortController()
  const turn = new ModelTurn(() => upstream.abort())
  let leave = (): void => undefined
  const aborted = new Promise<void>((resolve) => {
    leave = onAbort(signal, () => {
      turn.end(abortedEnding(signal))
      resolve()
    })
  })
  if (turn.ending === undefined) {
    const reply = model(request, {
      signal: upstream.signal,
      onReadable: (isFull) => recorder.onReadable(isFull),
    })
    recorder.readFrom({ drain: () => turn.read(reply.drain()) })
    // A stop does not wait until the upstream's socket is closed.
    await Promise.race([reply.closed, aborted])
    recorder.endReading()
  }
  leave()
  const ending = turn.ending ?? failed('upstream_cut', 'The answer was cut off.')
  return { ending, calls: ending.status === 'complete' ? turn.calls : [] }
}

/** Reads the parts of one reply: what of them goes into the run's log, the calls, and how it ended. */
class ModelTurn {
  ending: RunEnding | undefined
  readonly calls: ModelToolCall[] = []
  readonly #abort: () => void
  #length = 0
  #callLength = 0

  constructor(abort: () => void) {
    this.#abort = abort
  }

  read(parts: readonly ModelPart[]): RunChunk[] {
    const chunks: RunChunk[] = []
    for (const part of parts) {
      if (this.ending !== undefined) break
      const chunk = this.#readPart(part)
      if (chunk !== undefined) chunks.push(chunk)
    }
    return chunks
  }

  end(ending: RunEnding): void {
    this.ending ??= ending
    this.#abort()
  }

  #readPart(part: ModelPart): RunChunk | undefined {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return this.#readText(part)
      case 'model':
        return { type: 'event', event: part }
      case 'usage': {
        const usage = { input_tokens: part.inputTokens, output_tokens: part.outputTokens }
        return { type: 'event', event: { type: 'usage', usage } }
      }
      case 'tool_call': {
        const { type: _type, ...call } = part
        this.#takeCall(call)
        return undefined
      }
      case 'finish':
        this.ending = this.#finish(part.reason)
        return undefined
      case 'failed':
        this.ending = failed(part.code, part.message)
        return undefined
    }
  }

  #takeCall(call: ModelToolCall): void {
    const kept = this.calls.push(call) === 1 ? call.arguments : JSON.stringify(call)
    this.#callLength += kept.length
    if (this.#callLength <= longestCalls) return
    const limit = longestCalls.toLocaleString('en-US')
    const message = `The model called tools with more than ${limit} characters at once. None was called.`
    this.end(failed('output_limit', message))
  }

  #readText(part: Extract<ModelPart, { type: 'text' | 'reasoning' }>): RunChunk | undefined {
    const room = longestAnswer - this.#length
    this.#length += part.text.length
    if (part.text.length <= room) return part
    const limit = longestAnswer.toLocaleString('en-US')
    this.end(failed('output_limit', `The answer grew longer than ${limit} characters and was ended.`))
    const rest = part.text.slice(0, room).toWellFormed()
    return rest === '' ? undefined : { type: part.type, text: rest }
  }

  #finish(reason: FinishReason): RunEnding {
    if (this.calls.length > 0) return { status: 'complete' }
    if (this.#length === 0) {
      return reason === 'content_filter'
        ? failed('upstream_error', 'The provider withheld the answer.')
        : failed('upstream_invalid', 'The model ended without an answer.')
    }
    const cut = reason === 'length' || reason === 'content_filter'
    return { status: 'complete', ...(cut ? { finish: reason } : {}) }
  }
}

/** How a run ends whose signal was aborted. */
export function abortedEnding({ reason }: AbortSignal): RunEnding {
  return { status: reason === 'stopped' ? 'stopped' : 'interrupted' }
}

export function failed(code: ErrorDetail['code'], message: string): RunEnding {
  return { status: 'failed', error: { code, message } }
}

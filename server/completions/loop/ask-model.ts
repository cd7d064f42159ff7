import type { EndedStatus, UnnumberedEvent } from '@yonder/contract/completion'
import type { ErrorDetail } from '@yonder/contract/error'
import type { CutReason } from '@yonder/contract/message'
import type {
  FinishReason,
  Gather,
  ModelPart,
  ModelRequest,
  ModelStream,
  ModelToolCall,
} from '../../models/model.ts'
import { onAbort } from '../../lib/abort.ts'

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
  /** Takes a piece of the answer. On the path of every token. */
  readonly onText: (kind: 'text' | 'reasoning', text: string) => void
  readonly onEvent: (event: UnnumberedEvent) => void
  /** When what the upstream sent is read; without it as it arrives. */
  readonly gather?: Gather
}

/**
 * Asks the model once and tells what it says as events. Touches nothing else: who records and who sends is the caller's
 * business. Never rejects; the upstream is aborted before it resolves.
 */
export async function askModel(options: AskModelOptions): Promise<ModelAnswer> {
  const { model, request, signal, gather } = options
  const upstream = new AbortController()
  const turn = new ModelTurn(options, () => upstream.abort())
  let leave = (): void => undefined
  const aborted = new Promise<void>((resolve) => {
    leave = onAbort(signal, () => {
      turn.end(abortedEnding(signal))
      resolve()
    })
  })
  if (turn.ending === undefined) {
    const onParts = (parts: readonly ModelPart[]): void => turn.take(parts)
    const asked = model(request, { signal: upstream.signal, onParts, gather })
    // A stop is answered at once, however long the upstream's socket takes to close.
    await Promise.race([asked, aborted])
  }
  leave()
  const ending = turn.ending ?? failed('upstream_cut', 'The answer was cut off.')
  return { ending, calls: ending.status === 'complete' ? turn.calls : [] }
}

/** What one question to the model brings. */
class ModelTurn {
  ending: RunEnding | undefined
  readonly calls: ModelToolCall[] = []
  readonly #options: AskModelOptions
  readonly #abort: () => void
  #length = 0
  #callLength = 0

  constructor(options: AskModelOptions, abort: () => void) {
    this.#options = options
    this.#abort = abort
  }

  take(parts: readonly ModelPart[]): void {
    for (const part of parts) {
      if (this.ending !== undefined) return
      this.#takePart(part)
    }
  }

  end(ending: RunEnding): void {
    this.ending ??= ending
    this.#abort()
  }

  #takePart(part: ModelPart): void {
    const { onEvent } = this.#options
    switch (part.type) {
      case 'text':
      case 'reasoning':
        this.#takeText(part.type, part.text)
        return
      case 'model':
        onEvent(part)
        return
      case 'usage':
        onEvent({
          type: 'usage',
          usage: { input_tokens: part.inputTokens, output_tokens: part.outputTokens },
        })
        return
      case 'tool_call': {
        const { type: _type, ...call } = part
        this.#takeCall(call)
        return
      }
      case 'finish':
        this.ending = this.#finish(part.reason)
        return
      case 'failed':
        this.ending = failed(part.code, part.message)
        return
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

  #takeText(kind: 'text' | 'reasoning', text: string): void {
    const room = longestAnswer - this.#length
    this.#length += text.length
    if (text.length <= room) {
      this.#options.onText(kind, text)
      return
    }
    const rest = text.slice(0, room).toWellFormed()
    if (rest !== '') this.#options.onText(kind, rest)
    const limit = longestAnswer.toLocaleString('en-US')
    this.end(failed('output_limit', `The answer grew longer than ${limit} characters and was ended.`))
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

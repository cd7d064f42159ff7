import type { EndedStatus, UnnumberedEvent } from '@yonder/contract/completion'
import type { ErrorDetail } from '@yonder/contract/error'
import type { CutReason } from '@yonder/contract/message'
import type { FinishReason, ModelPart, ModelRequest, ModelStream } from '../models/model.ts'

/** Characters of an answer, thinking included, after which it is ended. */
export const longestAnswer = 1_000_000

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

export interface RunCompletionOptions {
  readonly model: ModelStream
  readonly request: ModelRequest
  /** Aborted with an `AbortReason`. */
  readonly signal: AbortSignal
  /** Takes a piece of the answer. On the path of every token. */
  readonly onText: (kind: 'text' | 'reasoning', text: string) => void
  readonly onEvent: (event: UnnumberedEvent) => void
}

/**
 * Asks the model and tells what it says as events, until it has ended. Touches nothing else: who records and who sends is
 * the caller's business. Never rejects; the upstream is aborted before it resolves.
 */
export async function runCompletion(options: RunCompletionOptions): Promise<RunEnding> {
  const { model, request, signal } = options
  const upstream = new AbortController()
  const turn = new ModelTurn(options, () => upstream.abort())
  const aborted = new Promise<void>((resolve) => {
    const end = (): void => {
      turn.end({ status: signal.reason === 'stopped' ? 'stopped' : 'interrupted' })
      resolve()
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
  if (turn.ending === undefined) {
    const asked = model(request, { signal: upstream.signal, onParts: (parts) => turn.take(parts) })
    // A stop is answered at once, however long the upstream's socket takes to close.
    await Promise.race([asked, aborted])
  }
  return turn.ending ?? failed('upstream_cut', 'The answer was cut off.')
}

/** What one question to the model brings. */
class ModelTurn {
  ending: RunEnding | undefined
  readonly #options: RunCompletionOptions
  readonly #abort: () => void
  #length = 0
  #unknownTool: string | undefined

  constructor(options: RunCompletionOptions, abort: () => void) {
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
      case 'tool_call':
        this.#unknownTool ??= part.name
        return
      case 'finish':
        this.ending = this.#finish(part.reason)
        return
      case 'failed':
        this.ending = failed(part.code, part.message)
        return
    }
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
    if (this.#unknownTool !== undefined) {
      return failed(
        'tool_unavailable',
        `The model called the tool "${this.#unknownTool}", which is not available here.`,
      )
    }
    if (this.#length === 0) {
      return reason === 'content_filter'
        ? failed('upstream_error', 'The provider withheld the answer.')
        : failed('upstream_invalid', 'The model ended without an answer.')
    }
    const cut = reason === 'length' || reason === 'content_filter'
    return { status: 'complete', ...(cut ? { finish: reason } : {}) }
  }
}

function failed(code: ErrorDetail['code'], message: string): RunEnding {
  return { status: 'failed', error: { code, message } }
}

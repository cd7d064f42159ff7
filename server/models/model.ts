import type { ErrorCode } from '@yonder/contract/error-codes'

/** A call that the model asked for; `arguments` is the text of a JSON object. */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** JSON that the adapter wants back with the call, a signature for example; it means nothing to anybody else. */
  readonly note?: unknown
}

/** One message of the conversation as models see it, oldest first. A `tool` message answers the call named by `callId`. */
export type ModelMessage =
  | {
      readonly role: 'user' | 'assistant'
      readonly content: string
      readonly toolCalls?: readonly ModelToolCall[]
    }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly content: string }

/** A tool that the model may call; `inputSchema` is a JSON schema of an object. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface ModelRequest {
  /** The model's name as its provider knows it. */
  readonly model: string
  readonly messages: readonly ModelMessage[]
  /** An empty list means that no tools are sent. */
  readonly tools: readonly ModelTool[]
  /** The most tokens of the answer; null leaves it to the provider. */
  readonly maxTokens: number | null
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other'

export type ModelPart =
  /** Who answers, as the upstream names it: at most once, and before the first text when it is known by then. */
  | { readonly type: 'model'; readonly model: string; readonly provider?: string }
  /** A piece of the answer: never empty, without NUL and lone surrogates. */
  | { readonly type: 'text'; readonly text: string }
  /** A piece of the model's thinking, under the rules of `text`. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** A whole call; `arguments` is the text of a JSON object. Yielded only when the upstream finished properly. */
  | ({ readonly type: 'tool_call' } & ModelToolCall)
  | { readonly type: 'usage'; readonly inputTokens: number | null; readonly outputTokens: number | null }
  | { readonly type: 'finish'; readonly reason: FinishReason }
  | { readonly type: 'failed'; readonly code: ErrorCode; readonly message: string }

export interface ModelStreamOptions {
  /** Aborting ends the request: the upstream's socket is closed within a second. */
  readonly signal: AbortSignal
  /**
   * Called with everything that one read from the network brought, in order, never with an empty list. It runs on the
   * path of every token: it must be quick and must not throw.
   */
  readonly onParts: (parts: readonly ModelPart[]) => void
  /** See `Gather`; without it everything is read when it arrives. */
  readonly gather?: Gather | undefined
}

/**
 * Says when an answer is read: told that something has arrived, it calls `read` at once or a moment later, when others have
 * something too: one after the other they are read in less time than each by itself. `read` may be called in vain.
 */
export type Gather = (read: () => void) => void

/**
 * Asks a model and gives its answer piece by piece. What every implementation keeps, whatever the upstream does:
 *
 * - The promise never rejects. A provider that fails, misbehaves, stalls or is not configured is told by a `failed`
 *   part whose message is a sentence for a person; it holds neither a key nor the request.
 * - Unless aborted it gives exactly one `finish` or one `failed`, as the very last part, and then resolves.
 * - After an abort it gives no further part, closes the upstream's socket and resolves.
 * - `finish` means that the upstream said so itself. A connection that merely ended is `failed` with `upstream_cut`,
 *   and of such an answer no `tool_call` is given.
 * - No part is given twice: nothing is asked again after the first part.
 * - A model that takes no tools and was asked with some is `failed` with `tool_unavailable`.
 */
export type ModelStream = (request: ModelRequest, options: ModelStreamOptions) => Promise<void>

import type { ReasoningEffort } from '@yonder/contract/bot'
import type { ErrorCode } from '@yonder/contract/error'
import type { ContentPart } from '@yonder/contract/message'
import { describeFile } from '@yonder/contract/message-text'

/** A tool call of the model. */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  /** A JSON object as text; with `isBroken` whatever the model sent. */
  readonly arguments: string
  /**
   * Set when the arguments are not a JSON object. Such a call is never run, and its result gives the reason.
   */
  readonly isBroken?: true
  /** JSON that the adapter expects back with the call, for example a signature. Only the adapter reads it. */
  readonly note?: unknown
}

/** What the model thought before it called tools, as it was shown. Signed thinking is in the notes of the calls. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
}

export type CallPart = { readonly type: 'call' } & ModelToolCall

/** A file that a model is given as it is: a picture or a PDF. */
export interface MediaPart {
  readonly type: 'media'
  /** Its name in the message. */
  readonly name: string
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'application/pdf'
  /** Base64. */
  readonly data: string
}

export interface ResultPart {
  readonly type: 'result'
  /** The id and the name of the call. */
  readonly callId: string
  readonly name: string
  readonly text: string
  /** The pictures of the result. */
  readonly media?: readonly MediaPart[]
}

/**
 * One message of the conversation, in parts. Whatever made the history, these hold: the first message is the user's; no
 * message has the role of the one before; no text is blank; a message with calls is followed by a `tool` message with one
 * result for each, in the order of the calls, and no other message is. How a provider wants it is the business of the
 * writers (`rules.ts`).
 */
export type ModelMessage =
  | { readonly role: 'user'; readonly parts: readonly (ContentPart | MediaPart)[] }
  | { readonly role: 'assistant'; readonly parts: readonly (ContentPart | ReasoningPart | CallPart)[] }
  | { readonly role: 'tool'; readonly parts: readonly ResultPart[] }

/** A message of the user with one text. */
export function userMessage(text: string): ModelMessage {
  return { role: 'user', parts: [{ type: 'text', text }] }
}

/** What a message says: its texts and results, and a line for each file that the model is not given. */
export function textsOf({ parts }: Pick<ModelMessage, 'parts'>): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type === 'file') return [describeFile(part.file)]
    return part.type === 'text' || part.type === 'result' ? [part.text] : []
  })
}

/**
 * What a message says, joined as paragraphs; empty when it says nothing. The model reads the names of files here that it
 * is not given, so that it can say so.
 */
export function textOf(message: Pick<ModelMessage, 'parts'>): string {
  return textsOf(message).join('\n\n')
}

/** The pictures and documents of a message, in their order. Those of a result follow its text. */
export function mediaOf({ parts }: Pick<ModelMessage, 'parts'>): readonly MediaPart[] {
  return parts.flatMap((part) => {
    if (part.type === 'media') return [part]
    return part.type === 'result' ? (part.media ?? []) : []
  })
}

export function callsOf({ parts }: Pick<ModelMessage, 'parts'>): readonly CallPart[] {
  return parts.filter((part) => part.type === 'call')
}

/** A tool offered to the model; `inputSchema` is the JSON schema of an object. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** Options of a call. An absent option is not sent, so the provider's default applies. */
export interface ModelOptions {
  readonly temperature?: number
  readonly topP?: number
  readonly reasoningEffort?: ReasoningEffort
}

export interface ModelRequest {
  /** The model's name at its provider. */
  readonly model: string
  /** Oldest first. */
  readonly messages: readonly ModelMessage[]
  /** An empty list means that no tools are sent. */
  readonly tools: readonly ModelTool[]
  /** The limit of output tokens; null means the provider's default. */
  readonly maxTokens: number | null
  /** The system prompt. Absent when there is none. */
  readonly instructions?: string
  readonly options?: ModelOptions
}

/**
 * The instructions and the messages of a request. An upstream's error message that repeats one of them is not shown. The
 * data of files is not among them: it is known by its form (`quoteUpstream`).
 */
export function confidentialTexts({ instructions, messages }: ModelRequest): readonly string[] {
  const contents = messages.flatMap(textsOf)
  return instructions === undefined ? contents : [instructions, ...contents]
}

/** Tokens of one call as the provider counts them; null when it does not say. */
export interface ModelUsage {
  /** The prompt, with the tokens that were read from the provider's cache. */
  readonly input_tokens: number | null
  /** The reply, with its reasoning. */
  readonly output_tokens: number | null
  readonly cached_tokens?: number | null
  /** The part of the prompt that was written to the provider's cache. */
  readonly cache_write_tokens?: number | null
  readonly reasoning_tokens?: number | null
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other'

export type ModelPart =
  /**
   * The model's name in the upstream's response: at most once, and before the first text if the upstream sends it
   * early.
   */
  | { readonly type: 'model'; readonly model: string; readonly provider?: string }
  /** The model is called without this option, which it does not support. Before the first text. */
  | { readonly type: 'option_omitted'; readonly option: keyof ModelOptions }
  /** A chunk of the reply's text: never empty, without NUL and lone surrogates. */
  | { readonly type: 'text'; readonly text: string }
  /** A chunk of the model's reasoning, under the rules of `text`. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** The text that was yielded so far is reasoning: only the tag at its end has shown it. At most once. */
  | { readonly type: 'text_was_reasoning' }
  /** A complete call. Yielded only when the upstream finished properly. */
  | ({ readonly type: 'tool_call' } & ModelToolCall)
  | ({ readonly type: 'usage' } & ModelUsage)
  | {
      readonly type: 'finish'
      readonly reason: FinishReason
      /** The upstream's own word for the reason, where `reason` says less. */
      readonly detail?: string
      /** What the reply has that is neither text nor a call, such as an image. */
      readonly media?: string
    }
  | {
      readonly type: 'failed'
      readonly code: ErrorCode
      readonly message: string
      /** Only with `context_exceeded`: the tokens that the model can read, if the upstream named them. */
      readonly contextWindow?: number
      /** Only with `file_refused`: the file without which the call may be repeated, by its name in the message. */
      readonly file?: { readonly name: string }
    }

export interface ModelStreamOptions {
  /** Aborting ends the request: the upstream's socket is closed within a second. */
  readonly signal: AbortSignal
  /**
   * Called when parts may be waiting for `drain`; `isFull` is true when they should be drained at once. Never called
   * before the reply is returned. It runs on the path of every token: it must be quick and must not throw.
   */
  readonly onReadable: (isFull: boolean) => void
  /** Called when the upstream sends its reply in one piece, in a wire format that allows this instead of streaming. */
  readonly onWhole?: () => void
}

/** A model's reply while it arrives. */
export interface ModelReply {
  /**
   * Returns the parts that arrived since the last call, in order. An adapter may parse the upstream's data here, not
   * when it arrives: parsing the data of many replies in a row takes less time than parsing each by itself.
   */
  drain(): readonly ModelPart[]
  /** Resolves when the call has ended and no part will follow; the last parts may still wait for `drain`. */
  readonly closed: Promise<void>
}

/**
 * Calls a model and returns its reply. Every implementation guarantees, whatever the upstream does:
 *
 * - `closed` never rejects. A provider that fails, misbehaves, stalls or is not configured yields a `failed` part whose
 *   message is a sentence for the user; it contains neither the key nor a long passage of the request.
 * - Unless aborted it yields exactly one `finish` or one `failed`, as the very last part; then `closed` resolves.
 * - After an abort it yields no further part and closes the upstream's socket; then `closed` resolves.
 * - `finish` is yielded only when the upstream itself reported the end or sent its reply as complete JSON. A stream
 *   without a reported end yields `failed`, and no `tool_call`.
 * - No text, reasoning or tool call is yielded twice: the upstream is not called again after the first of them.
 * - If the upstream's refusal is recognised, a call with tools to a model that does not support them yields `failed`
 *   with `tool_unavailable`, a prompt that is too long for it yields `context_exceeded`, and a picture or document that
 *   it does not take yields `file_refused`. No text or reasoning precedes these failures, so the call may be repeated
 *   with another request.
 */
export type ModelStream = (request: ModelRequest, options: ModelStreamOptions) => ModelReply

import type { ErrorCode, ErrorBody } from '@yonder/contract/error'
import { sentenceOf, type FailureCause } from './failure-sentences.ts'

/** Why something failed: a cause that the browser found, or a text, usually the server's. */
export type Failure = { readonly cause: FailureCause } | { readonly text: string }

/** Returns the sentence of a failure. For `offline` it is 'You were offline.' once the browser is online again. */
export function describeFailure(failure: Failure, isOnline = navigator.onLine): string {
  if ('text' in failure) return failure.text
  return sentenceOf(failure.cause === 'offline' && isOnline ? 'was_offline' : failure.cause)
}

const outages: readonly FailureCause[] = ['offline', 'unreachable', 'unconfirmed']

/** Whether a request failed because the request or its response did not get through. It may succeed later. */
export function isOutage(failure: Failure): boolean {
  return 'cause' in failure && outages.includes(failure.cause)
}

/** Thrown when the server responded with a status other than success. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The server's error code; absent when the response was not from our server, such as a proxy's page. */
  readonly code: ErrorCode | undefined
  /** The server's error message. */
  readonly reason: string | undefined

  constructor(message: string, status: number, detail?: ErrorBody['error']) {
    super(message)
    this.status = status
    this.code = detail?.code
    this.reason = detail?.message
  }
}

/** Whether the server responded that the requested object does not exist, or is not the user's. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}

/** Whether the server responded that the chat is deleted, and can be restored. */
export function isChatDeleted(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'chat_deleted'
}

/**
 * Thrown when a request got no response, or a stream became silent. `cause` is usually the error of the browser, whose
 * text differs between browsers.
 */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'

  constructor(cause?: unknown) {
    super(sentenceOf('unreachable'), { cause })
  }
}

/** Thrown when the connection broke after a request was sent and before the server confirmed it. */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError'

  constructor() {
    super(sentenceOf('unconfirmed'))
  }
}

/**
 * Whether a proxy responds with this status when the server behind it does not respond. Our server uses these statuses
 * too, for example when a model is unreachable.
 */
export function isGatewayFailure(status: number): boolean {
  return status === 502 || status === 503 || status === 504
}

/** Returns why a request failed. */
export function toFailure(error: unknown): Failure {
  // Without a reason the message is one that the specification fixes.
  if (error instanceof ApiError) return { text: error.reason || error.message }
  if (!navigator.onLine) return { cause: 'offline' }
  if (error instanceof UnreachableError) return { cause: 'unreachable' }
  if (error instanceof UnconfirmedError) return { cause: 'unconfirmed' }
  return { text: (error instanceof Error && error.message) || 'Unknown error' }
}

/** The labels of a form's fields, by the names that are sent. */
export type FieldLabels = Readonly<Record<string, string>>

/**
 * Why something failed, for a message to the user: the server's own message if there is one. `labels` replaces the
 * names of fields in it by their labels.
 */
export function readReason(error: unknown, labels: FieldLabels = {}): string {
  const reason = describeFailure(toFailure(error))
  return error instanceof ApiError && error.reason ? labelFields(reason, labels) : reason
}

/** A reason may name several fields, or an entry of a field: `base_url: …; allow_tools.3: …`. */
function labelFields(reason: string, labels: FieldLabels): string {
  return reason.replaceAll(/(^|; )(\w+)(\.\w+)*(?=: )/g, (whole: string, before: string, field: string) =>
    Object.hasOwn(labels, field) ? `${before}${labels[field]}` : whole,
  )
}

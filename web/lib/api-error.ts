import type { ErrorCode, ErrorBody } from '@yonder/contract/error'

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

/** The labels of a form's fields, by the names that are sent. */
export type FieldLabels = Readonly<Record<string, string>>

/**
 * Why something failed, for a message to the user: the server's own message if there is one. `labels` replaces the names
 * of fields in it by their labels.
 */
export function readReason(error: unknown, labels: FieldLabels = {}): string {
  if (error instanceof ApiError && error.reason) return labelFields(error.reason, labels)
  if (error instanceof Error && error.message) return error.message
  return 'Unknown error'
}

/** A reason may name several fields, or an entry of one: `base_url: …; allow_tools.3: …`. */
function labelFields(reason: string, labels: FieldLabels): string {
  return reason.replaceAll(/(^|; )(\w+)(\.\w+)*(?=: )/g, (whole: string, before: string, field: string) =>
    Object.hasOwn(labels, field) ? `${before}${labels[field]}` : whole,
  )
}

/** Returns the reason of a failed request, as a sentence for the user. */
export function explainRequestError(error: unknown): string {
  if (!navigator.onLine) return 'You are offline.'
  // `fetch` throws a TypeError when it reaches no server, with a text that differs between browsers.
  return error instanceof TypeError ? 'The server could not be reached.' : readReason(error)
}

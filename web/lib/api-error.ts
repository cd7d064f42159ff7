import type { ErrorCode, ErrorBody } from '@yonder/contract/error'

/** What a call throws when the server answered, but not with a success. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The server's stable code; absent when the answer was not one of ours. */
  readonly code: ErrorCode | undefined
  /** The server's own sentence, for messages that state a reason. */
  readonly reason: string | undefined

  constructor(message: string, status: number, detail?: ErrorBody['error']) {
    super(message)
    this.status = status
    this.code = detail?.code
    this.reason = detail?.message
  }
}

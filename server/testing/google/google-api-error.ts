/** Google's reason and status for each HTTP status. */
const reasons: Readonly<Record<number, { readonly reason: string; readonly status: string }>> = {
  400: { reason: 'invalidArgument', status: 'INVALID_ARGUMENT' },
  401: { reason: 'authError', status: 'UNAUTHENTICATED' },
  403: { reason: 'insufficientPermissions', status: 'PERMISSION_DENIED' },
  404: { reason: 'notFound', status: 'NOT_FOUND' },
  409: { reason: 'duplicate', status: 'ALREADY_EXISTS' },
  410: { reason: 'deleted', status: 'GONE' },
  412: { reason: 'conditionNotMet', status: 'FAILED_PRECONDITION' },
  429: { reason: 'rateLimitExceeded', status: 'RESOURCE_EXHAUSTED' },
  500: { reason: 'backendError', status: 'INTERNAL' },
  503: { reason: 'backendError', status: 'UNAVAILABLE' },
}

/** An error response of a Google API. */
export class GoogleApiError extends Error {
  readonly code: number
  readonly reason: string
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: number,
    message: string,
    options: { reason?: string; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.name = 'GoogleApiError'
    this.code = code
    this.reason = options.reason ?? reasons[code]?.reason ?? 'backendError'
    this.headers = options.headers ?? {}
  }

  toResponse(): Response {
    const { code, message, reason, headers } = this
    const errors = [{ message, domain: 'global', reason }]
    const status = reasons[code]?.status
    return Response.json({ error: { code, message, errors, status } }, { status: code, headers })
  }
}

/** Google's error for an id that does not exist. */
export function notFound(): GoogleApiError {
  return new GoogleApiError(404, 'Requested entity was not found.')
}

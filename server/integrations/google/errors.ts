import { AppError, findAppError } from '../../lib/app-error.ts'

/** The fields of an error of Google's client libraries that are read here. */
interface GoogleFailure {
  readonly status?: unknown
  readonly response?: { readonly data?: unknown; readonly headers?: unknown }
  readonly config?: { readonly retryConfig?: RetryState }
}

/** The state that `retryConfig` keeps in the configuration of a request, over all its attempts. */
export interface RetryState {
  /** True when an earlier attempt failed, but Google may have executed it. */
  mayHaveSucceeded?: boolean
}

/** The object `error` in the body of a response. */
interface GoogleErrorBody {
  readonly message?: unknown
  readonly errors?: readonly { readonly reason?: unknown }[]
}

/** The error of a call that was refused before anything was done. `reason` is for the user and the model. */
export function refusal(reason: string, done: 'done' | 'sent' = 'done'): AppError {
  return new AppError('invalid_request', `${reason} Nothing was ${done}.`)
}

/** The HTTP status of Google's response. Undefined when there was no response. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || (error as GoogleFailure).response === undefined) return undefined
  const { status } = error as GoogleFailure
  return typeof status === 'number' ? status : undefined
}

/** Whether Google may have executed an earlier attempt of the request that failed with this error. */
export function mayHaveSucceeded(error: unknown): boolean {
  return (error as GoogleFailure).config?.retryConfig?.mayHaveSucceeded === true
}

/** The codes of our own fetch for a response that it refused to read. Google may have executed the request. */
const unreadResponses: ReadonlySet<string> = new Set<AppError['code']>(['output_limit', 'upstream_invalid'])

/** Whether Google certainly executed no attempt of the request. */
export function wasNotExecuted(error: unknown): boolean {
  if (mayHaveSucceeded(error)) return false
  const appError = findAppError(error)
  if (appError !== undefined) return !unreadResponses.has(appError.code)
  const status = statusOf(error)
  return status !== undefined && status < 500 && status !== 408
}

/** Whether Google rejected the request because of a rate limit. Such a request was not executed. */
export function isRateLimit(error: unknown): boolean {
  const status = statusOf(error)
  const reason = reasonOf(error) ?? ''
  return status === 429 || (status === 403 && /^(userRateLimit|rateLimit|quota)Exceeded$/.test(reason))
}

/** The delay in Google's Retry-After header, in milliseconds. */
export function retryAfterOf(error: unknown): number | undefined {
  const headers = (error as GoogleFailure).response?.headers
  const value = headers instanceof Headers ? headers.get('retry-after') : null
  if (value === null) return undefined
  const seconds = Number(value)
  const delayMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(delayMs) ? Math.max(0, delayMs) : undefined
}

/**
 * Explains a failed request to Google to the model and the user. Quotes nothing of the response but
 * the message of a refusal.
 * @throws the error itself when it is a defect of ours
 */
export function explainGoogleError(error: unknown): string {
  const appError = findAppError(error)
  if (appError !== undefined) return appError.message
  if (!isGoogleFailure(error)) throw error
  if (isRateLimit(error)) return 'Google received too many requests. Try again in a minute.'
  const status = statusOf(error)
  switch (status) {
    case undefined:
      return 'Google could not be reached. Try again later.'
    case 401:
      return 'Google did not accept the access token. Disconnect the account under Settings, Integrations, and connect it again.'
    case 403:
      return explainForbidden(error)
    case 404:
      return 'Google found no item with this id. It may have been deleted. Look up its id again.'
    case 410:
      return 'This item has already been deleted.'
    case 412:
      return 'This item was changed in the meantime. Read it again before changing it.'
    default:
      return status >= 500
        ? `Google had an internal error (${status}). Try again later.`
        : `Google refused the request: ${messageOf(error) ?? status}`
  }
}

/** Whether Google accepts no token of the account, not even a refreshed one. */
export function isUnauthenticated(error: unknown): boolean {
  return findAppError(error) === undefined && statusOf(error) === 401
}

/**
 * Whether the whole integration fails until the user or the operator acts: Google accepts no token, or the API is not
 * enabled. Other refusals concern one request.
 */
export function isLastingGoogleError(error: unknown): boolean {
  if (findAppError(error) !== undefined) return false
  return isUnauthenticated(error) || (statusOf(error) === 403 && reasonOf(error) === 'accessNotConfigured')
}

function explainForbidden(error: unknown): string {
  const reason = reasonOf(error)
  if (reason === 'insufficientPermissions' || reason === 'ACCESS_TOKEN_SCOPE_INSUFFICIENT') {
    return 'The user has not allowed this at Google. They can disconnect the account under Settings, Integrations, connect it again, and allow it there.'
  }
  if (reason === 'accessNotConfigured') {
    return 'This Google API is not enabled for this server. Ask its operator to enable it in the Google Cloud console.'
  }
  return `Google does not permit this: ${messageOf(error) ?? 'no reason was given'}`
}

function isGoogleFailure(error: unknown): boolean {
  return error instanceof Error && 'config' in error
}

/** The reason in Google's response, such as `rateLimitExceeded`. */
function reasonOf(error: unknown): string | undefined {
  const reason = bodyOf(error)?.errors?.[0]?.reason
  return typeof reason === 'string' ? reason : undefined
}

/** The message in Google's response, cut to 300 characters. */
function messageOf(error: unknown): string | undefined {
  const message = bodyOf(error)?.message
  return typeof message === 'string' && message !== '' ? message.slice(0, 300) : undefined
}

function bodyOf(error: unknown): GoogleErrorBody | undefined {
  const data = error instanceof Error ? (error as GoogleFailure).response?.data : undefined
  if (typeof data !== 'object' || data === null) return undefined
  const body = (data as { error?: unknown }).error
  return typeof body === 'object' && body !== null ? body : undefined
}

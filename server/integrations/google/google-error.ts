import { AppError } from '../../lib/app-error.ts'

/** What the client packages of Google throw, as far as it is read here. */
interface GoogleFailure {
  readonly status?: unknown
  readonly response?: { readonly data?: unknown; readonly headers?: unknown }
  readonly config?: { readonly retryConfig?: { readonly currentRetryAttempt?: number } }
}

interface GoogleErrorBody {
  readonly message?: unknown
  readonly errors?: readonly { readonly reason?: unknown }[]
}

/** Whether one of Google's packages threw it: for an answer, or for want of one. */
export function isGoogleFailure(error: unknown): boolean {
  return error instanceof Error && 'config' in error
}

/** The HTTP status that Google answered with; without an answer there is none. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || (error as GoogleFailure).response === undefined) return undefined
  const { status } = error as GoogleFailure
  return typeof status === 'number' ? status : undefined
}

/** Google's word for what is wrong, such as `rateLimitExceeded`. */
export function reasonOf(error: unknown): string | undefined {
  const reason = bodyOf(error)?.errors?.[0]?.reason
  return typeof reason === 'string' ? reason : undefined
}

/** Google's sentence about what is wrong. */
export function messageOf(error: unknown): string | undefined {
  const message = bodyOf(error)?.message
  return typeof message === 'string' && message !== '' ? message.slice(0, 300) : undefined
}

/** Whether the request had been made before it failed like this: then the earlier one may have done its work. */
export function wasRepeated(error: unknown): boolean {
  return ((error as GoogleFailure).config?.retryConfig?.currentRetryAttempt ?? 0) > 0
}

/** Whether the failure says for certain that Google did nothing. */
export function isRefusal(error: unknown): boolean {
  const status = statusOf(error)
  return findAppError(error) !== undefined || (status !== undefined && status < 500 && status !== 408)
}

/** How long Google asks to wait, in milliseconds. */
export function retryAfterOf(error: unknown): number | undefined {
  const headers = (error as GoogleFailure).response?.headers
  const value = headers instanceof Headers ? headers.get('retry-after') : null
  if (value === null) return undefined
  const seconds = Number(value)
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

/** What our side of the way said; the client packages wrap it. */
export function findAppError(error: unknown): AppError | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof AppError) return at
  return undefined
}

function bodyOf(error: unknown): GoogleErrorBody | undefined {
  const data = error instanceof Error ? (error as GoogleFailure).response?.data : undefined
  if (typeof data !== 'object' || data === null) return undefined
  const body = (data as { error?: unknown }).error
  return typeof body === 'object' && body !== null ? body : undefined
}

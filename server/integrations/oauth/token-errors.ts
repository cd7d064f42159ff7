import type { ErrorCode } from '@yonder/contract/error'
import { ClientError, ResponseBodyError } from 'openid-client'
import { isTimeoutError } from '../../lib/abort.ts'
import { AppError, listCauses } from '../../lib/app-error.ts'
import { readErrorCode } from '../../lib/quote-server.ts'

/**
 * Whether a refresh failed because Google has ended the consent: it was revoked, has expired, or is for another
 * client.
 */
export function isEndedConsent(error: unknown): boolean {
  return error instanceof ResponseBodyError && ['invalid_grant', 'unauthorized_client'].includes(error.error)
}

/**
 * Returns the error that explains to the user why Google returned no tokens. `redirectUrl` is the address that the
 * operator must register at Google.
 */
export function explainTokenFailure(error: unknown, redirectUrl: string): AppError {
  const explain = (code: ErrorCode, message: string) =>
    new AppError(code, message, { cause: toLoggedCause(error) })
  if (error instanceof ResponseBodyError) {
    switch (error.error) {
      case 'invalid_grant':
        return explain(
          'conflict',
          'Google did not accept this sign-in, because it is too old or was already used. Connect again.',
        )
      case 'invalid_client':
      case 'unauthorized_client':
        return explain(
          'upstream_refused_key',
          'Google refused the credentials of this server. Ask its operator to check GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
        )
      case 'redirect_uri_mismatch':
        return explain(
          'upstream_refused_key',
          `Google refused the redirect address of this server. Ask its operator to add ${redirectUrl} to the OAuth client in the Google Cloud console.`,
        )
      default:
        return explain('upstream_error', describeRefusal(error.error))
    }
  }
  for (const cause of listCauses(error)) {
    if (cause instanceof AppError)
      return explain(cause.code, `The response from Google cannot be used. ${cause.message}`)
    if (isTimeoutError(cause))
      return explain('upstream_timeout', 'Google did not respond in time. Try again later.')
  }
  if ((findUnexpectedResponse(error)?.status ?? 0) >= 500) {
    return explain('upstream_error', 'Google had an internal error. Try again later.')
  }
  if (error instanceof ClientError && error.code?.startsWith('OAUTH_') === true) {
    return explain('upstream_invalid', 'Google sent an unexpected response. Try again later.')
  }
  return explain('upstream_unreachable', 'Google cannot be reached. Try again later.')
}

/** Returns a response of Google that has neither tokens nor an OAuth error, such as one with a status from 500 on. */
function findUnexpectedResponse(error: unknown): Response | undefined {
  return error instanceof ClientError && error.cause instanceof Response ? error.cause : undefined
}

/**
 * Adds the status and the error code of a response, which the log would not contain otherwise. Nothing else of the
 * response is added, because it may contain secrets.
 */
function toLoggedCause(error: unknown): unknown {
  const withCause = (message: string) => new Error(message, { cause: error })
  if (error instanceof ResponseBodyError) {
    const code = readErrorCode(error.error) ?? 'not a valid error code'
    return withCause(`Google responded with status ${error.status}. Its error: ${code}.`)
  }
  const response = findUnexpectedResponse(error)
  return response === undefined ? error : withCause(`Google responded with status ${response.status}.`)
}

function describeRefusal(error: string): string {
  const code = readErrorCode(error)
  const named = code === undefined ? '' : ` (${code})`
  return `Google refused the request of this server${named}. Try again later. If it fails again, ask the operator of this server to check its OAuth client in the Google Cloud console.`
}

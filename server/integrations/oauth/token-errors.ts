import { ClientError, ResponseBodyError } from 'openid-client'
import { isTimeoutError } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'

/** Whether Google has ended the consent: it was revoked, has expired, or belongs to another client than ours. */
export function isEndedConsent(error: unknown): boolean {
  return error instanceof ResponseBodyError && ['invalid_grant', 'unauthorized_client'].includes(error.error)
}

/** Returns the error for a user to whom Google returned no tokens. `redirectUrl` must be registered at Google. */
export function explainTokenFailure(error: unknown, redirectUrl: string): AppError {
  const explain = (code: ConstructorParameters<typeof AppError>[0], message: string) =>
    new AppError(code, message, { cause: error })
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
        return explain('upstream_error', error.status >= 500 ? internalError : describeRefusal(error.error))
    }
  }
  for (const cause of listCauses(error)) {
    if (cause instanceof AppError)
      return explain(cause.code, `The response from Google cannot be used. ${cause.message}`)
    if (isTimeout(cause))
      return explain('upstream_timeout', 'Google did not respond in time. Try again later.')
  }
  if (error instanceof ClientError && error.cause instanceof Response && error.cause.status >= 500) {
    return explain('upstream_error', internalError)
  }
  if (error instanceof ClientError && error.code?.startsWith('OAUTH_') === true) {
    return explain('upstream_invalid', 'Google sent an unexpected response. Try again later.')
  }
  return explain('upstream_unreachable', 'Google cannot be reached. Try again later.')
}

/** Names the error code only when it has the form of one: the response may come from elsewhere. */
function describeRefusal(code: string): string {
  const named = /^[a-z_]{1,60}$/.test(code) ? ` (${code})` : ''
  return `Google refused the request of this server${named}. Try again later. If it fails again, ask the operator of this server to check its OAuth client in the Google Cloud console.`
}

const internalError = 'Google had an internal error. Try again later.'

function isTimeout(error: unknown): boolean {
  return (error instanceof ClientError && error.code === 'OAUTH_TIMEOUT') || isTimeoutError(error)
}

/** An error and its causes, outermost first. */
function listCauses(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  for (let at = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at)
  return chain
}

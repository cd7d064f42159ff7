import { ClientError, ResponseBodyError } from 'openid-client'
import { AppError } from '../../lib/app-error.ts'

/** Whether Google has ended what a refresh token stands for: revoked, too old, or given to another client than ours. */
export function isEndedGrant(error: unknown): boolean {
  return error instanceof ResponseBodyError && ['invalid_grant', 'unauthorized_client'].includes(error.error)
}

/** Why Google gave no tokens, as a sentence for a person. `redirectUrl` is what Google has to know. */
export function explainTokenFailure(error: unknown, redirectUrl: string): AppError {
  const say = (code: ConstructorParameters<typeof AppError>[0], message: string) =>
    new AppError(code, message, { cause: error })
  if (error instanceof ResponseBodyError) {
    switch (error.error) {
      case 'invalid_grant':
        return say('conflict', 'Google does not accept this code any more. Connect again.')
      case 'invalid_client':
      case 'unauthorized_client':
        return say(
          'upstream_refused_key',
          'Google does not know this installation: its operator has to check GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
        )
      case 'redirect_uri_mismatch':
        return say(
          'upstream_refused_key',
          `Google does not know the return address of this installation: its operator has to add ${redirectUrl} there.`,
        )
      default:
        return say('upstream_error', 'Google could not give access. Try again later.')
    }
  }
  for (const cause of causes(error)) {
    if (cause instanceof AppError) return say(cause.code, `Google's answer cannot be used. ${cause.message}`)
    if (isTimeout(cause)) return say('upstream_timeout', 'Google did not answer in time.')
  }
  if (error instanceof ClientError && error.cause instanceof Response && error.cause.status >= 500) {
    return say('upstream_error', 'Google could not give access. Try again later.')
  }
  if (error instanceof ClientError && error.code?.startsWith('OAUTH_') === true) {
    return say('upstream_invalid', 'What Google answered is not what its sign-in should answer.')
  }
  return say('upstream_unreachable', 'Google cannot be reached.')
}

function isTimeout(error: unknown): boolean {
  return (
    (error instanceof ClientError && error.code === 'OAUTH_TIMEOUT') ||
    (error instanceof DOMException && error.name === 'TimeoutError')
  )
}

/** An error and everything behind it, the outermost first. */
function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  for (let at = error; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at)
  return chain
}

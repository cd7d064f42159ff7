import { findAppError, isGoogleFailure, messageOf, reasonOf, statusOf } from './google-error.ts'
import { isRateLimit } from './retry-google.ts'

/**
 * A failure at Google, or on the way there, as a sentence for the model and the person. Nothing of the request is in it.
 * Anything else is a defect, and thrown.
 */
export function explainGoogleError(error: unknown): string {
  const own = findAppError(error)
  if (own !== undefined) return own.message
  if (!isGoogleFailure(error)) throw error
  if (isRateLimit(error)) return 'Google wants fewer requests at the moment. Try again in a minute.'
  const status = statusOf(error)
  switch (status) {
    case undefined:
      return 'Google could not be reached. Try again later.'
    case 401:
      return 'Google did not accept the sign-in. The account has to be connected again under Settings, Integrations.'
    case 403:
      return explainForbidden(error)
    case 404:
      return 'Google knows nothing with this id. It may have been deleted; look it up again.'
    case 410:
      return 'This has been deleted already.'
    case 412:
      return 'This has changed meanwhile. Read it again before changing it.'
    default:
      return status >= 500
        ? `Google has a fault at the moment (${status}). Try again later.`
        : `Google refused the request: ${messageOf(error) ?? status}`
  }
}

function explainForbidden(error: unknown): string {
  const reason = reasonOf(error)
  if (reason === 'insufficientPermissions' || reason === 'ACCESS_TOKEN_SCOPE_INSUFFICIENT') {
    return 'The user has not allowed this at Google. They can connect the account again under Settings, Integrations, and allow it there.'
  }
  if (reason === 'accessNotConfigured') {
    return 'This Google API is not switched on for this installation. Whoever runs it can do that in the Google Cloud console.'
  }
  return `Google does not permit this: ${messageOf(error) ?? 'no reason was given'}`
}

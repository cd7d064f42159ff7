import { integrationOfService, titleOfIntegration } from '@yonder/contract/integration-names'
import { takeAuthorization } from './pending-authorization.ts'

export interface CallbackFailure {
  readonly kind: 'failed'
  readonly message: string
  /** What is known beyond the message. */
  readonly detail?: string
}

/** What is handed in for an integration. */
export interface CallbackAnswer {
  readonly name: string
  readonly code: string
  readonly state: string
}

export type Callback =
  | CallbackFailure
  /** An answer to what this tab has asked for. */
  | { readonly kind: 'answer'; readonly answer: CallbackAnswer }
  /** An answer that was handed in before. */
  | { readonly kind: 'used' }

/** What the browser has come back with (§5.17). An answer is found once: from then on it is used. */
export function readCallback(service: string, params: URLSearchParams): Callback {
  if (service.trim() === '') return { kind: 'failed', message: 'Invalid service specified.' }
  const state = params.get('state')
  const standing = takeAuthorization(state)
  if (standing === 'used') return { kind: 'used' }
  const refusal = params.get('error')
  const code = params.get('code')
  if (refusal !== null || !code)
    return {
      kind: 'failed',
      message: 'No authorization code found in the callback URL.',
      ...(refusal === null ? {} : { detail: describeRefusal(refusal) }),
    }
  if (standing === 'unknown' || state === null)
    return {
      ...describeCallbackFailure(service),
      detail: 'This authorization was not begun in this tab.',
    }
  return { kind: 'answer', answer: { name: integrationOfService(service), code, state } }
}

/** §8.28 */
export function describeCallbackFailure(service: string): CallbackFailure {
  return {
    kind: 'failed',
    message: `Failed to connect ${titleOfIntegration(service)}. Please try again.`,
  }
}

/** Anyone can write a link to this page, so that of its text only the shape of an error code is repeated. */
function describeRefusal(error: string): string {
  if (error === 'access_denied') return 'Access was not allowed, so nothing was connected.'
  return /^[a-z_]{1,40}$/.test(error)
    ? `The service answered with the error "${error}".`
    : 'The service answered with an error.'
}

import type { Integration, IntegrationCallback } from '@yonder/contract/integration'
import { integrationOfService, titleOfIntegration } from '@yonder/contract/integration-names'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { integrationPath } from '../../../data/integrations.ts'
import { ApiError } from '../../../lib/api/api-error.ts'
import { useAction } from '../../../lib/api/use-action.ts'
import { logError } from '../../../lib/log-error.ts'
import { redeemAuthorization } from './pending-authorization.ts'

interface CallbackFailure {
  readonly kind: 'failed'
  readonly message: string
  /** More about the cause, if known. */
  readonly detail?: string
}

export type CallbackOutcome =
  | { readonly kind: 'processing' }
  | { readonly kind: 'connected' }
  | CallbackFailure
  /** The response was processed before, so there is nothing to show. */
  | { readonly kind: 'used' }

/** The input of the request that connects an integration. */
type CallbackInput = IntegrationCallback & { readonly name: string }

/** The state of the history entry after the code was removed from its address. */
const processed = 'callback-taken'

/** Sends the response in the address to the server, once, and returns the outcome. */
export function useCallbackOutcome(service: string): CallbackOutcome {
  const navigate = useNavigate()
  const { pathname, search, state } = useLocation()
  const [outcome, setOutcome] = useState<CallbackOutcome>({
    kind: search === '' && state === processed ? 'used' : 'processing',
  })
  const begun = useRef(false)
  const connect = useAction({
    call: (api, { name, ...body }: CallbackInput) =>
      api.post<Integration>(integrationPath(name, 'callback'), body),
    failure: () => describeCallbackFailure(service).message,
    // The page itself shows the failure.
    isFailureShown: false,
  })

  const finish = async (input: CallbackInput): Promise<CallbackOutcome> => {
    const result = await connect.run(input)
    if (result.done) return { kind: 'connected' }
    // After a 401 the user is signed out and leaves this page.
    if (result.error === undefined) return { kind: 'processing' }
    const reason = result.error instanceof ApiError ? result.error.reason : undefined
    return { ...describeCallbackFailure(service), ...(reason === undefined ? {} : { detail: reason }) }
  }

  const settle = async (): Promise<CallbackOutcome> => {
    const callback = parseCallback(service, new URLSearchParams(search))
    // The code is removed from the address first, so that it is neither seen nor copied.
    if (search !== '') await navigate(pathname, { replace: true, state: processed })
    if (callback.kind === 'response') return finish(callback.input)
    if (callback.kind === 'failed') logError(callback.message)
    return callback
  }

  const begin = useEffectEvent(async () => {
    if (begun.current || outcome.kind === 'used') return
    begun.current = true
    setOutcome(await settle())
  })
  useEffect(() => void begin(), [])
  return outcome
}

type Callback =
  | CallbackFailure
  /** The response to the authorization that this tab started. */
  | { readonly kind: 'response'; readonly input: CallbackInput }
  /** A response that was processed before. */
  | { readonly kind: 'used' }

/** Parses the response in the address, and marks it as used. */
function parseCallback(service: string, params: URLSearchParams): Callback {
  if (service.trim() === '') return { kind: 'failed', message: 'Invalid service specified.' }
  const state = params.get('state')
  const status = redeemAuthorization(state)
  if (status === 'used') return { kind: 'used' }
  const refusal = params.get('error')
  const code = params.get('code')
  if (refusal !== null || !code)
    return {
      kind: 'failed',
      message: 'No authorization code found in the callback URL.',
      ...(refusal === null ? {} : { detail: describeRefusal(refusal) }),
    }
  if (status === 'unknown' || state === null)
    return {
      ...describeCallbackFailure(service),
      detail: 'This sign-in was started in another tab. Finish it there, or connect again here.',
    }
  return { kind: 'response', input: { name: integrationOfService(service), code, state } }
}

/** Returns the failure to show when the integration could not be connected. */
function describeCallbackFailure(service: string): CallbackFailure {
  return {
    kind: 'failed',
    message: `Failed to connect ${titleOfIntegration(service)}. Please try again.`,
  }
}

/** Anyone can write a link to this page, so only an error that looks like a code is shown. */
function describeRefusal(error: string): string {
  if (error === 'access_denied') return 'You did not allow access, so nothing was connected.'
  return /^[a-z_]{1,40}$/.test(error)
    ? `The service returned the error "${error}".`
    : 'The service returned an error. Connect again.'
}

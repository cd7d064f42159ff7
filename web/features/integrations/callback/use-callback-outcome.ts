import type { Integration, IntegrationCallback } from '@yonder/contract/integration'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { ApiError } from '../../../lib/api-error.ts'
import { logError } from '../../../lib/log-error.ts'
import { useApi } from '../../../lib/use-api.ts'
import { integrationAddress } from '../integration-address.ts'
import { describeCallbackFailure, readCallback } from './read-callback.ts'
import type { CallbackAnswer, CallbackFailure } from './read-callback.ts'

export type CallbackOutcome =
  | { readonly kind: 'processing' }
  | { readonly kind: 'connected' }
  | CallbackFailure
  /** It was dealt with before: there is nothing left to say here. */
  | { readonly kind: 'used' }

/** What the place in the browser's history remembers once the answer is taken out of its address. */
const taken = 'callback-taken'

/** Hands in what the browser has come back with, once (§4.29, §7.26), and tells how it went. */
export function useCallbackOutcome(service: string): CallbackOutcome {
  const api = useApi()
  const navigate = useNavigate()
  const { pathname, search, state } = useLocation()
  const [outcome, setOutcome] = useState<CallbackOutcome>({
    kind: search === '' && state === taken ? 'used' : 'processing',
  })
  const begun = useRef(false)

  const handIn = async ({ name, ...body }: CallbackAnswer): Promise<CallbackOutcome> => {
    try {
      const sent: IntegrationCallback = body
      const integration = await api.post<Integration>(integrationAddress(name, 'callback'), sent)
      // After a 401 the person is signed out, and this page is left.
      return { kind: integration === undefined ? 'processing' : 'connected' }
    } catch (error) {
      const failure = describeCallbackFailure(service)
      logError(failure.message, error)
      const reason = error instanceof ApiError ? error.reason : undefined
      return reason === undefined ? failure : { ...failure, detail: reason }
    }
  }

  const settle = async (): Promise<CallbackOutcome> => {
    const callback = readCallback(service, new URLSearchParams(search))
    // Out of the address before anything else: nobody is to see or copy a code.
    if (search !== '') await navigate(pathname, { replace: true, state: taken })
    if (callback.kind === 'answer') return handIn(callback.answer)
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

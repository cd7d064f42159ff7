import type { IntegrationAuth } from '@yonder/contract/integration'
import { useState } from 'react'
import { logError } from '../../lib/log-error.ts'
import { readReason } from '../../lib/read-reason.ts'
import { useApi } from '../../lib/use-api.ts'
import { useIsOpen } from '../../lib/use-is-open.ts'
import { toast } from '../../lib/toasts.ts'
import { integrationAddress } from './integration-address.ts'
import { leaveForConsent } from './leave-for-consent.ts'
import { titleOfIntegration } from '@yonder/contract/integration-names'

export interface Authorization {
  /** The integration whose consent page is being opened. */
  readonly busy: string | undefined
  /** The last one that could not be opened, and why. */
  readonly failed: { readonly name: string; readonly reason: string } | undefined
  /**
   * Sends the browser to where the person gives their consent (§7.25), unless they are elsewhere by then or it is not
   * wanted any more; what fails is told (§8.24).
   */
  readonly authorize: (name: string, isWanted?: () => boolean) => Promise<void>
}

export function useAuthorize(): Authorization {
  const api = useApi()
  const isOpen = useIsOpen()
  const [busy, setBusy] = useState<string>()
  const [failed, setFailed] = useState<Authorization['failed']>()
  return {
    busy,
    failed,
    async authorize(name, isWanted = isOpen) {
      setBusy(name)
      setFailed(undefined)
      try {
        const answer = await api.get<IntegrationAuth>(integrationAddress(name, 'auth'))
        if (answer !== undefined && isOpen() && isWanted()) await leaveForConsent(answer.authUrl)
      } catch (error) {
        const message = `Failed to initiate ${titleOfIntegration(name)} authentication`
        toast.error(message)
        logError(message, error)
        setFailed({ name, reason: readReason(error) })
      }
      setBusy(undefined)
    },
  }
}

import { leaveFor } from '../../../lib/leave-for.ts'

/** Stored by this tab, to check that a response belongs to the authorization that this tab started. */
interface PendingAuthorization {
  readonly state: string
  /** Whether the response has been processed, which happens only once. */
  readonly used: boolean
}

const storageKey = 'integration_authorization'

/** Stores the parameter `state` of the consent page's address. The response must have the same one. */
export function storeAuthorization(state: string): void {
  write({ state, used: false })
}

/** Returns whether a response belongs to the authorization that this tab started, and marks it as used. */
export function redeemAuthorization(state: string | null): 'ours' | 'used' | 'unknown' {
  const pending = read()
  if (pending === null || pending.state !== state) return 'unknown'
  if (pending.used) return 'used'
  write({ state: pending.state, used: true })
  return 'ours'
}

function write(pending: PendingAuthorization): void {
  sessionStorage.setItem(storageKey, JSON.stringify(pending))
}

function read(): PendingAuthorization | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as PendingAuthorization | null
  } catch {
    return null
  }
}

/**
 * Opens the page on which users give their consent. Resolves if this page stays or is shown again. Throws if the
 * address is not http(s) or has no `state`.
 */
export async function leaveForConsent(authUrl: string): Promise<void> {
  const address = URL.parse(authUrl)
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new Error(
      'The sign-in address of the service is not a web address. Tell the operator of this site.',
    )
  const state = address.searchParams.get('state')
  // Without a state, the response could not be distinguished from one that another site started.
  if (!state)
    throw new Error('The sign-in address of the service is incomplete. Tell the operator of this site.')
  storeAuthorization(state)
  await leaveFor(address)
}

import { leaveFor } from '../../../lib/leave-for.ts'

/** What this tab stores to check that the browser comes back from the consent that it started. */
interface PendingAuthorization {
  readonly state: string
  /** A response counts once. */
  readonly used: boolean
}

const storageKey = 'integration_authorization'

/** Stores the `state` of the consent page's address, which the response must bring back. */
export function storeAuthorization(state: string): void {
  write({ state, used: false })
}

/** Whether a response belongs to the authorization that this tab started; from then on it is used. */
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
    const value: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')
    return isPending(value) ? value : null
  } catch {
    return null
  }
}

function isPending(value: unknown): value is PendingAuthorization {
  if (typeof value !== 'object' || value === null) return false
  const { state, used } = value as Record<string, unknown>
  return typeof state === 'string' && typeof used === 'boolean'
}

/** Sends the browser to the page where the user gives their consent. Resolves when the browser comes back to this page. */
export async function leaveForConsent(authUrl: string): Promise<void> {
  const address = URL.parse(authUrl)
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new Error('The address to authenticate at is not a web address.')
  const state = address.searchParams.get('state')
  // Without it a response could not be distinguished from one that another site started.
  if (!state) throw new Error('The address to authenticate at has no state.')
  storeAuthorization(state)
  await leaveFor(address)
}

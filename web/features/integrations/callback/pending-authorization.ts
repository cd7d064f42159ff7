/** What this tab has to find again when the browser comes back from a person's consent. */
interface PendingAuthorization {
  readonly state: string
  /** An answer counts once. */
  readonly used: boolean
}

const storageKey = 'integration_authorization'

/** Keeps the `state` of the address that the browser is about to leave for; the answer must bring it back. */
export function keepAuthorization(state: string): void {
  write({ state, used: false })
}

/** Whether an answer is to the question of this tab; from then on it is used. */
export function takeAuthorization(state: string | null): 'ours' | 'used' | 'unknown' {
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

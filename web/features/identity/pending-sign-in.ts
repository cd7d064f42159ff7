/** The values that the provider's response is checked against; each tab stores its own. */
export interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo: string
}

const keyOf = (store: string): string => `${store}:pending`

export function storePendingSignIn(store: string, pending: PendingSignIn): void {
  sessionStorage.setItem(keyOf(store), JSON.stringify(pending))
}

/** Reads and removes the record, so that a response is used once. */
export function takePendingSignIn(store: string): PendingSignIn | null {
  try {
    const text = sessionStorage.getItem(keyOf(store))
    sessionStorage.removeItem(keyOf(store))
    const value: unknown = JSON.parse(text ?? 'null')
    return isPending(value) ? value : null
  } catch {
    return null
  }
}

function isPending(value: unknown): value is PendingSignIn {
  if (typeof value !== 'object' || value === null) return false
  const record = value as Record<string, unknown>
  return (['state', 'nonce', 'verifier', 'returnTo'] as const).every(
    (field) => typeof record[field] === 'string',
  )
}

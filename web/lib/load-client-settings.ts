import type { ClientSettings } from '@yonder/contract/identity'

let loading: Promise<ClientSettings> | undefined

/** What the server tells a browser before anyone is signed in; asked once, and again after a failure. */
export async function loadClientSettings(): Promise<ClientSettings> {
  loading ??= fetchClientSettings()
  try {
    return await loading
  } catch (error) {
    loading = undefined
    throw error
  }
}

/** Asked as `index.html` preloads it, so that the answer is on its way before this code is. */
async function fetchClientSettings(): Promise<ClientSettings> {
  const response = await fetch('/api/settings', { signal: AbortSignal.timeout(10_000) })
  if (!response.ok) throw new Error(`Settings could not be loaded: ${response.status}`)
  return (await response.json()) as ClientSettings
}

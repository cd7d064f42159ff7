import type { ClientSettings } from '@yonder/contract/identity'

/** The request for the settings fails if there is no response within this time. */
const maxResponseMs = 10_000

let loading: Promise<ClientSettings> | undefined

/** The server's settings for the browser; loaded once, and again after a failure. */
export async function loadClientSettings(): Promise<ClientSettings> {
  loading ??= fetchClientSettings()
  try {
    return await loading
  } catch (error) {
    loading = undefined
    throw error
  }
}

/** `index.html` preloads the same request, so that the response is on its way before this code runs. */
async function fetchClientSettings(): Promise<ClientSettings> {
  const response = await fetch('/api/settings', { signal: AbortSignal.timeout(maxResponseMs) })
  if (!response.ok) throw new Error(`Settings could not be loaded: ${response.status}`)
  return (await response.json()) as ClientSettings
}

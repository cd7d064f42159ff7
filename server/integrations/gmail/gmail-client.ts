import type { gmail_v1 } from '@googleapis/gmail'
import type { GoogleApiDeps, GoogleClient } from '../google/api-client.ts'
import { clientOptions } from '../google/api-client.ts'
import { googleFetch } from '../google/google-fetch.ts'
import { googleLimits } from '../google/google-limits.ts'
import type { GoogleLimits } from '../google/google-limits.ts'
import { retryGoogle } from '../google/retry-google.ts'

export type GmailClient = GoogleClient<gmail_v1.Resource$Users>

/** A person's Gmail, for one call of a tool. Google's package is loaded with the first one. */
export async function openGmail(
  deps: GoogleApiDeps,
  userId: string,
  signal: AbortSignal,
  limits: GoogleLimits = googleLimits,
): Promise<GmailClient> {
  const { gmail_v1: gmail } = await import('@googleapis/gmail')
  const fetch = googleFetch(
    deps,
    { userId, integration: 'google-gmail', signal },
    { packaged: 'https://gmail.googleapis.com', actual: deps.apiUrls.gmail },
    limits,
  )
  return {
    api: new gmail.Gmail(clientOptions(fetch, signal, limits)).users,
    once: { retryConfig: retryGoogle(limits, false, signal) },
    signal,
    now: deps.now,
  }
}

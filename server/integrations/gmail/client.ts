import type { gmail_v1 } from '@googleapis/gmail'
import type { ConnectorAccount } from '@yonder/contract/connector'
import { clientOptions, type GoogleApiClient, type GoogleApiDeps } from '../google/api-client.ts'
import { retryConfig } from '../google/retry.ts'

export interface GmailClient extends GoogleApiClient<gmail_v1.Resource$Users> {
  /** The options of a request that must not take effect twice. It is retried only after a rate limit. */
  readonly nonIdempotent: Pick<gmail_v1.Options, 'retryConfig'>
}

/** Opens a user's Gmail until `signal` aborts. The first use in this process loads Google's client library. */
export async function openGmail(
  deps: GoogleApiDeps,
  userId: string,
  signal: AbortSignal,
): Promise<GmailClient> {
  const { gmail_v1: gmail } = await import('@googleapis/gmail')
  const caller = { userId, integration: 'google-gmail', signal } as const
  const address = { defaultUrl: 'https://gmail.googleapis.com', configuredUrl: deps.apiUrls.gmail }
  return {
    api: new gmail.Gmail(clientOptions(deps, caller, address)).users,
    nonIdempotent: { retryConfig: retryConfig(deps.limits, { isIdempotent: false, signal }) },
    userId,
    signal,
    now: deps.now,
  }
}

export async function readGmailAccount({ api }: GmailClient): Promise<ConnectorAccount> {
  const { data } = await api.getProfile({ userId: 'me' })
  return { account: data.emailAddress ?? null, time_zone: null }
}

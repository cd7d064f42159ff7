import type { GuardedFetch } from '../../http/guarded-fetch.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { AnswerMeter } from '../mcp/meter-answers.ts'
import { splitFetch } from '../split-fetch.ts'

/** Milliseconds for one document of an authorization server. */
const longestRequest = 15_000

/** The way to the documents and endpoints that a server names for its authorization: guarded, small and quick. */
export function oauthFetch({ guards, limits }: ConnectorDeps, url: URL): GuardedFetch['fetch'] {
  const fetch = splitFetch(url, guards)
  return (input, init) => {
    const meter = new AnswerMeter({ fetch, reconnect: limits.reconnect, reconnects: limits.reconnects })
    meter.allow(limits.oauthBytes)
    return meter.fetch(input, { ...init, signal: AbortSignal.timeout(longestRequest) })
  }
}

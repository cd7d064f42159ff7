import { setTimeout } from 'node:timers/promises'
import type { ConnectorGrantRow, ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { endRefresh, listGrants, reserveRefresh } from './grant-store.ts'
import { ConnectorOAuth } from './connector-oauth.ts'
import { runAuth } from './run-auth.ts'
import { readTokens } from './stored-tokens.ts'

/** Milliseconds after which a process that renews tokens counts as dead. */
const longestRefresh = 30_000
/** Milliseconds between two looks at whether another process is done. */
const look = 250

/**
 * Renews the tokens of a grant, once however many requests want it and on however many nodes: a second use of a refresh
 * token would end the whole grant at its server. Resolves with whether there are new ones.
 */
export function refreshTokens(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  url: URL,
  grant: ConnectorGrantRow,
  resourceMetadataUrl?: URL,
): Promise<boolean> {
  const key = `tokens ${connector.id}`
  const running = deps.refreshing.get(key) as Promise<boolean> | undefined
  if (running !== undefined) return running
  const work = refreshOnce(deps, connector, url, grant, resourceMetadataUrl).finally(() =>
    deps.refreshing.delete(key),
  )
  deps.refreshing.set(key, work)
  return work
}

async function refreshOnce(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  url: URL,
  grant: ConnectorGrantRow,
  resourceMetadataUrl: URL | undefined,
): Promise<boolean> {
  const { sealer, database, now } = deps
  if (readTokens(sealer, grant.tokens ?? '').tokens.refresh_token === undefined) return false
  if (!(await reserveRefresh(database.db, grant, now(), now() + longestRefresh))) {
    return waitForOther(deps, connector, grant)
  }
  try {
    const result = await runAuth(deps, new ConnectorOAuth(deps, connector), url, { resourceMetadataUrl })
    return result === 'AUTHORIZED'
  } finally {
    await endRefresh(database.db, grant)
  }
}

async function waitForOther(
  { database, now }: ConnectorDeps,
  connector: ConnectorRow,
  { issuer, tokens }: ConnectorGrantRow,
): Promise<boolean> {
  const deadline = now() + longestRefresh
  while (now() < deadline) {
    const current = (await listGrants(database.db, connector)).find((grant) => grant.issuer === issuer)
    if (current === undefined) return false
    if (current.tokens !== tokens) return current.tokens !== null
    if (current.refreshing_until === null) return false
    await setTimeout(look)
  }
  return false
}

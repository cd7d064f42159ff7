import type { ConnectorGrantRow, ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { ConnectorOAuth } from './connector-oauth.ts'
import { listGrants, releaseRefresh, reserveRefresh } from './grant-store.ts'
import { runAuth } from './run-auth.ts'
import { openTokens } from './stored-tokens.ts'

/** Refreshes the tokens of a grant, on only one node at a time. Returns whether there are new tokens. */
export async function refreshTokens(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  url: URL,
  grant: ConnectorGrantRow,
  resourceMetadataUrl?: URL,
): Promise<boolean> {
  const { sealer } = deps
  const { db } = deps.database
  if (openTokens(sealer, grant.tokens ?? '').tokens.refresh_token === undefined) return false
  return deps.shared.tokenLeases.refresh(connector.id, {
    reserve: (now, until) => reserveRefresh(db, grant, now, until),
    async refresh() {
      const result = await runAuth(deps, new ConnectorOAuth(deps, connector), url, { resourceMetadataUrl })
      return result === 'AUTHORIZED'
    },
    release: () => releaseRefresh(db, grant),
    async findResult() {
      const current = (await listGrants(db, connector)).find(({ issuer }) => issuer === grant.issuer)
      if (current === undefined) return false
      if (current.tokens !== grant.tokens) return current.tokens !== null
      return current.refreshing_until === null ? false : undefined
    },
    giveUp: () => false,
  })
}

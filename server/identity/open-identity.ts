import { openHostedIdentity } from './hosted/open-hosted-identity.ts'
import type { Identity, IdentityDeps, IdentityOptions } from './identity.ts'
import { openEmbeddedIdentity } from './provider/open-embedded-identity.ts'
import { createUpsertUser } from './users/upsert-user.ts'

/** Opens the embedded provider, or the hosted one when `OIDC_ISSUER` names it. */
export async function openIdentity(deps: IdentityDeps, options: IdentityOptions): Promise<Identity> {
  const { config, database, now } = deps
  const { onNewUser, guard } = options
  const upsertUser = createUpsertUser({ db: database.db, now, onNewUser })
  return config.oidc === null
    ? openEmbeddedIdentity(deps, { upsertUser, guard })
    : openHostedIdentity(deps, config.oidc, { upsertUser, guard })
}

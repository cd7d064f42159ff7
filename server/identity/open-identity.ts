import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import { createUpsertUser } from './users/upsert-user.ts'
import type { OnNewUser } from './users/upsert-user.ts'
import type { Identity } from './identity.ts'
import { openEmbeddedIdentity } from './provider/open-embedded-identity.ts'
import { openHostedIdentity } from './hosted/open-hosted-identity.ts'

export interface OpenIdentityOptions {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onNewUser: OnNewUser
  /** How a provider elsewhere is asked. */
  readonly fetch?: typeof globalThis.fetch
}

/** Opens the provider that the settings name: the embedded one, or one elsewhere. */
export async function openIdentity(options: OpenIdentityOptions): Promise<Identity> {
  const { config, database, now, onNewUser } = options
  const upsertUser = createUpsertUser({ db: database.db, now, onNewUser })
  return config.oidc === null
    ? openEmbeddedIdentity(options, upsertUser)
    : openHostedIdentity({ ...options, oidc: config.oidc }, upsertUser)
}

import type { Database } from '../../db/database.ts'
import { openCredential } from '../../db/secrets/credential.ts'
import { requireSecretKey } from '../../db/secrets/require-secret-key.ts'
import * as contexts from '../../db/secrets/seal-contexts.ts'
import { createSealer, type Sealer } from '../../db/secrets/seal-secret.ts'
import { createTestIdentity } from '../identity/test-identity.ts'
import { createRequestClient, injected, type RequestClient } from '../send-request.ts'
import { openTestApp } from '../test-app.ts'
import { fixtureSettings } from './fixtures.ts'

/** Today's server with the data of a fixture. */
export interface UpgradedProduct {
  /** Returns a client with a session of the user with this e-mail, without a sign-in. */
  signIn(email: string): Promise<RequestClient>
  /** Requests without an account. */
  readonly visitor: RequestClient
  close(): Promise<void>
}

/** Opens today's server with a migrated database. */
export async function openUpgraded(
  database: Database,
  { dataDir, sealer }: { readonly dataDir: string; readonly sealer: Sealer },
): Promise<UpgradedProduct> {
  const identity = createTestIdentity(database, () => Promise.resolve())
  const location = { dataDir, databaseUrl: null }
  const { app, close } = await openTestApp({
    database: { ...database, location },
    environment: fixtureSettings,
    deps: { sealer, identity },
  })
  const host = 'localhost:3000'
  return {
    async signIn(email) {
      const user = await database.db
        .selectFrom('users')
        .selectAll()
        .where('email', '=', email)
        .executeTakeFirstOrThrow()
      return createRequestClient(injected(app), {
        authorization: `Bearer ${identity.signInAgain(user)}`,
        host,
      })
    },
    visitor: createRequestClient(injected(app), { host }),
    close,
  }
}

/** Opens the key of a fixture as the start of the server does. */
export function openFixtureSealer(dataDir: string): Sealer {
  return createSealer(requireSecretKey(null, dataDir))
}

/** Opens the secrets that the users of a fixture have stored. Throws when one cannot be opened. */
export async function openSecrets({ db }: Database, sealer: Sealer) {
  const bots = await db.selectFrom('bots').selectAll().where('api_key', 'is not', null).execute()
  const connectors = await db.selectFrom('connectors').selectAll().execute()
  const grants = await db.selectFrom('connector_grants').selectAll().execute()
  const integrations = await db.selectFrom('integrations').selectAll().execute()
  return {
    botKeys: bots.map((bot) => openCredential(sealer, contexts.botKeyContext(bot), bot.api_key ?? '').secret),
    connectorTokens: connectors.flatMap((row) =>
      row.token === null
        ? []
        : [openCredential(sealer, contexts.connectorTokenContext(row), row.token).secret],
    ),
    integrationKeys: integrations.map(
      (row) => openCredential(sealer, contexts.integrationKeyContext(row), row.api_key ?? '').secret,
    ),
    grants: grants.map((grant) => {
      const connector = connectors.find(({ id }) => id === grant.connector_id)
      if (connector === undefined) throw new Error('A grant has no connector.')
      return JSON.parse(
        sealer.open(grant.tokens ?? '', contexts.grantContext('tokens', connector, grant)),
      ) as unknown
    }),
  }
}

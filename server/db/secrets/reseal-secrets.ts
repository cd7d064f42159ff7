import { sql, type Selectable } from 'kysely'
import type { Database, Db } from '../database.ts'
import type { ConnectorGrantRow } from '../tables/connector-tables.ts'
import type { IntegrationRow } from '../tables/integration-tables.ts'
import type { BotRow, Tables } from '../tables/tables.ts'
import { sealCredential, toOrigin } from './credential.ts'
import * as contexts from './seal-contexts.ts'
import { createFirstFormatOpener, type Sealer } from './seal-secret.ts'

export interface ResealDeps {
  readonly sealer: Sealer
  readonly secretKey: string
  /** The addresses that depend on the settings, to which a stored key may be sent. */
  readonly addressOfBot: (bot: BotRow) => string | null
  readonly addressOfIntegration: (integration: IntegrationRow) => string | null
}

/** The name of the row in `keys` that says that the values were sealed again. */
const marker = 'seal-format'
const pageSize = 500

/**
 * Seals the values of the first format again, bound to their purpose, owner and row. It needs the key of the
 * installation, so it is a step of the start and not a migration. It is one transaction together with its marker, so a
 * process that is killed leaves all values or none in the new format, and nodes that start together wait for each
 * other.
 *
 * Values of another SECRET_KEY stay as they are. If there are only such values, the marker is not set, so that a start
 * with the right SECRET_KEY seals them again.
 */
export async function resealSecrets({ db, dialect }: Database, deps: ResealDeps): Promise<void> {
  if (await isDone(db)) return
  await db.transaction().execute(async (trx) => {
    await dialect.lockMigrations(trx)
    if (await isDone(trx)) return
    const { opened, unreadable } = await resealAll(trx, deps)
    if (opened === 0 && unreadable > 0) return
    await trx.insertInto('keys').values({ name: marker, value: 'v2', created_at: Date.now() }).execute()
  })
}

async function isDone(db: Db): Promise<boolean> {
  const row = await db.selectFrom('keys').select('name').where('name', '=', marker).executeTakeFirst()
  return row !== undefined
}

interface Counts {
  opened: number
  unreadable: number
}

type Reseal = <Table extends keyof Tables>(column: Column<Table>) => Promise<void>

async function resealAll(trx: Db, deps: ResealDeps): Promise<Counts> {
  const open = createFirstFormatOpener(deps.secretKey)
  const counts = { opened: 0, unreadable: 0 }
  const reseal: Reseal = (column) => resealColumn(trx, open, column, counts)
  await resealIdentity(reseal, deps)
  await resealBots(reseal, deps)
  await resealConnectors(reseal, trx, deps)
  await resealIntegrations(reseal, deps)
  return counts
}

async function resealIdentity(reseal: Reseal, { sealer }: ResealDeps): Promise<void> {
  await reseal({
    table: 'keys',
    column: 'value',
    key: ['name'],
    seal: ({ name }, text) => sealer.seal(text, contexts.installationKeyContext(name)),
  })
  await reseal({
    table: 'oidc',
    column: 'payload',
    key: ['model', 'id'],
    seal: (row, text) => sealer.seal(text, contexts.signInRecordContext(row)),
  })
}

async function resealBots(reseal: Reseal, { sealer, addressOfBot }: ResealDeps): Promise<void> {
  await reseal({
    table: 'bots',
    column: 'api_key',
    key: ['id'],
    seal: (bot, secret) =>
      sealCredential(sealer, contexts.botKeyContext(bot), { secret, address: addressOfBot(bot) }),
  })
}

async function resealConnectors(reseal: Reseal, trx: Db, { sealer }: ResealDeps): Promise<void> {
  const connector = { table: 'connectors', key: ['id'] } as const
  await reseal({
    ...connector,
    column: 'token',
    seal: (row, secret) =>
      sealCredential(sealer, contexts.connectorTokenContext(row), { secret, address: toOrigin(row.url) }),
  })
  await reseal({
    ...connector,
    column: 'client_secret',
    seal: async (row, secret) => {
      const address = await findLatestIssuer(trx, row.id)
      return sealCredential(sealer, contexts.clientSecretContext(row), { secret, address })
    },
  })
  const grant = { table: 'connector_grants', key: ['connector_id', 'issuer'] } as const
  const sealPart =
    (column: 'client' | 'tokens' | 'discovery') =>
    async (row: ConnectorGrantRow, text: string): Promise<string> =>
      sealer.seal(text, contexts.grantContext(column, await requireConnector(trx, row), row))
  await reseal({ ...grant, column: 'client', seal: sealPart('client') })
  await reseal({ ...grant, column: 'tokens', seal: sealPart('tokens') })
  await reseal({ ...grant, column: 'discovery', isPlain: true, seal: sealPart('discovery') })
  await reseal({
    table: 'connector_consents',
    column: 'payload',
    key: ['state_hash'],
    seal: (row, text) => sealer.seal(text, contexts.connectorConsentContext(row)),
  })
}

async function resealIntegrations(
  reseal: Reseal,
  { sealer, addressOfIntegration }: ResealDeps,
): Promise<void> {
  const integration = { table: 'integrations', key: ['user_id', 'name'] } as const
  await reseal({
    ...integration,
    column: 'api_key',
    seal: (row, secret) =>
      sealCredential(sealer, contexts.integrationKeyContext(row), {
        secret,
        address: addressOfIntegration(row),
      }),
  })
  await reseal({
    ...integration,
    column: 'tokens',
    seal: (row, text) => sealer.seal(text, contexts.integrationTokensContext(row)),
  })
  await reseal({
    table: 'integration_consents',
    column: 'verifier',
    key: ['state_hash'],
    seal: (row, text) => sealer.seal(text, contexts.integrationConsentContext(row)),
  })
}

interface Column<Table extends keyof Tables> {
  readonly table: Table
  readonly column: keyof Tables[Table] & string
  /** The columns of the primary key. */
  readonly key: readonly (keyof Tables[Table] & string)[]
  /** True for JSON that was not sealed in the first format. */
  readonly isPlain?: boolean
  readonly seal: (row: Selectable<Tables[Table]>, text: string) => string | Promise<string>
}

/** Seals one column again, in pages, because the records of sign-ins can be many. */
async function resealColumn<Table extends keyof Tables>(
  trx: Db,
  open: (sealed: string) => string,
  { table, column, key, isPlain = false, seal }: Column<Table>,
  counts: Counts,
): Promise<void> {
  const order = sql.join(key.map((name) => sql.ref(name)))
  const pattern = isPlain ? '{%' : 'v1.%'
  // Values that were sealed again do not match any more, so the next page skips only the unreadable ones.
  for (let skipped = 0; ;) {
    const { rows } = await sql<
      Selectable<Tables[Table]>
    >`select * from ${sql.table(table)} where ${sql.ref(column)} like ${pattern} order by ${order} limit ${pageSize} offset ${skipped}`.execute(
      trx,
    )
    for (const row of rows) {
      const values = row as Readonly<Record<string, unknown>>
      const stored = String(values[column])
      const text = isPlain ? stored : openOrNull(open, stored)
      if (text === null) {
        skipped++
        counts.unreadable++
        continue
      }
      const isRow = sql.join(
        key.map((name) => sql`${sql.ref(name)} = ${values[name]}`),
        sql` and `,
      )
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${await seal(row, text)} where ${isRow}`.execute(
        trx,
      )
      if (!isPlain) counts.opened++
    }
    if (rows.length < pageSize) return
  }
}

function openOrNull(open: (sealed: string) => string, sealed: string): string | null {
  try {
    return open(sealed)
  } catch {
    return null
  }
}

function requireConnector(trx: Db, { connector_id }: ConnectorGrantRow) {
  return trx
    .selectFrom('connectors')
    .select(['id', 'user_id', 'url'])
    .where('id', '=', connector_id)
    .executeTakeFirstOrThrow()
}

/** The authorization server that a connector used last. */
async function findLatestIssuer(trx: Db, connectorId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('connector_grants')
    .select('issuer')
    .where('connector_id', '=', connectorId)
    .orderBy('updated_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.issuer ?? null
}

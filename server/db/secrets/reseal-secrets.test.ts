import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { KyselyPlugin } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { botRow } from '../../testing/factories/bots.ts'
import { addUser } from '../../testing/factories/users.ts'
import type { Database } from '../database.ts'
import { openCredential } from './credential.ts'
import { resealSecrets, type ResealDeps } from './reseal-secrets.ts'
import * as contexts from './seal-contexts.ts'
import { createSealer, type SealContext } from './seal-secret.ts'

const secretKey = 'a secret of tests that is long enough'
const sealer = createSealer(secretKey)
const deps: ResealDeps = {
  sealer,
  secretKey,
  addressOfBot: ({ base_url }) => base_url && new URL(base_url).origin,
  addressOfIntegration: () => 'https://service.example',
}

/** Seals as the versions did that had one key for all purposes. */
function sealAsBefore(secret: string, key = secretKey): string {
  const iv = randomBytes(12)
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'yonder sealed secrets', 32))
  const cipher = createCipheriv('aes-256-gcm', derived, iv)
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
}

const bot = botRow({ id: 'bot', user_id: 'ada', base_url: 'https://models.example/v1' })
const connector = { id: 'connector', user_id: 'ada', url: 'https://mcp.example/mcp' }
const grant = { issuer: 'https://issuer.example' }
const consent = { state_hash: 's', connector_id: connector.id, user_id: 'ada', browser_hash: 'b' }
const integration = { user_id: 'ada', name: 'service' }
const record = { model: 'Grant', id: 'record', grant_id: null }

/** Stores one value of the first format in every sealed column. */
async function fill({ db }: Database, seal = sealAsBefore): Promise<void> {
  await addUser(db, { id: 'ada' })
  await db
    .insertInto('keys')
    .values({ name: 'signing', value: seal('keys'), created_at: 1 })
    .execute()
  await db
    .insertInto('bots')
    .values({ ...bot, api_key: seal('bot key') })
    .execute()
  await db
    .insertInto('connectors')
    .values({
      ...connector,
      name: 'Notes',
      token: seal('token'),
      client_id: 'client',
      client_secret: seal('client secret'),
      status: 'connected',
      is_default: 0,
      asks: 1,
      slug: 'notes',
      credential_version: 1,
      created_at: 1,
    })
    .execute()
  await db
    .insertInto('connector_grants')
    .values({
      connector_id: connector.id,
      ...grant,
      user_id: 'ada',
      client: seal('{"client_id":"c"}'),
      tokens: seal('{"tokens":{}}'),
      discovery: '{"state":null}',
      updated_at: 1,
    })
    .execute()
  await db
    .insertInto('connector_consents')
    .values({ ...consent, payload: seal('consent'), expires_at: 1 })
    .execute()
  await db
    .insertInto('integrations')
    .values({
      ...integration,
      version: 1,
      api_key: seal('api key'),
      tokens: seal('tokens'),
      ended: 0,
      created_at: 1,
    })
    .execute()
  await db
    .insertInto('integration_consents')
    .values({ ...integration, state_hash: 's', verifier: seal('verifier'), expires_at: 1 })
    .execute()
  await db
    .insertInto('oidc')
    .values({ ...record, payload: seal('record') })
    .execute()
}

/** All sealed values with their contexts. */
async function readValues({ db }: Database): Promise<readonly [SealContext, string][]> {
  const [bots, connectors, grants, consents, integrations, started, records, keys] = await Promise.all([
    db.selectFrom('bots').selectAll().executeTakeFirstOrThrow(),
    db.selectFrom('connectors').selectAll().executeTakeFirstOrThrow(),
    db.selectFrom('connector_grants').selectAll().executeTakeFirstOrThrow(),
    db.selectFrom('connector_consents').selectAll().executeTakeFirstOrThrow(),
    db.selectFrom('integrations').selectAll().executeTakeFirstOrThrow(),
    db.selectFrom('integration_consents').selectAll().executeTakeFirstOrThrow(),
    db.selectFrom('oidc').selectAll().executeTakeFirstOrThrow(),
    db.selectFrom('keys').selectAll().where('name', '=', 'signing').executeTakeFirstOrThrow(),
  ])
  return [
    [contexts.installationKeyContext('signing'), keys.value],
    [contexts.botKeyContext(bots), bots.api_key ?? ''],
    [contexts.connectorTokenContext(connectors), connectors.token ?? ''],
    [contexts.clientSecretContext(connectors), connectors.client_secret ?? ''],
    [contexts.grantContext('client', connectors, grants), grants.client ?? ''],
    [contexts.grantContext('tokens', connectors, grants), grants.tokens ?? ''],
    [contexts.grantContext('discovery', connectors, grants), grants.discovery ?? ''],
    [contexts.connectorConsentContext(consents), consents.payload],
    [contexts.integrationKeyContext(integrations), integrations.api_key ?? ''],
    [contexts.integrationTokensContext(integrations), integrations.tokens ?? ''],
    [contexts.integrationConsentContext(started), started.verifier],
    [contexts.signInRecordContext(records), records.payload],
  ]
}

const resealed = [
  'keys',
  '{"secret":"bot key","address":"https://models.example"}',
  '{"secret":"token","address":"https://mcp.example"}',
  '{"secret":"client secret","address":"https://issuer.example"}',
  '{"client_id":"c"}',
  '{"tokens":{}}',
  '{"state":null}',
  'consent',
  '{"secret":"api key","address":"https://service.example"}',
  'tokens',
  'verifier',
  'record',
]

async function openAll(database: Database): Promise<readonly string[]> {
  return (await readValues(database)).map(([context, sealed]) => sealer.open(sealed, context))
}

/** The same database, in which the statement of this number fails. */
function failAt(database: Database, last: number): Database {
  let statement = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (++statement === last) throw new Error('killed')
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  return { ...database, db: database.db.withPlugin(plugin) }
}

describe.each(engines)('sealing stored values again on %s', (engine) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await openTestDatabase(engine)
  })
  afterEach(() => database.close())

  it('binds every value to its purpose, owner, row and address, once', async () => {
    await fill(database)
    await resealSecrets(database, deps)
    expect(await openAll(database)).toEqual(resealed)
    const before = await readValues(database)
    await resealSecrets(database, deps)
    expect(await readValues(database)).toEqual(before)
  })

  it('leaves all values or none in the new format, at whatever step it is killed', async () => {
    await fill(database)
    const before = await readValues(database)
    let killed = 0
    for (let last = 1; ; last++) {
      try {
        await resealSecrets(failAt(database, last), deps)
        break
      } catch (error) {
        expect(error).toMatchObject({ message: 'killed' })
        expect(await readValues(database)).toEqual(before)
        killed++
      }
    }
    expect(killed).toBeGreaterThan(25)
    expect(await openAll(database)).toEqual(resealed)
  })

  it('does not seal again, or open, a value of the first format that is stored later', async () => {
    await resealSecrets(database, deps)
    await fill(database)
    await resealSecrets(database, deps)
    for (const [context, sealed] of await readValues(database))
      expect(() => sealer.open(sealed, context)).toThrow()
  })

  it('does not open the signing key as the key of a bot', async () => {
    await fill(database)
    await resealSecrets(database, deps)
    const { value } = await database.db
      .selectFrom('keys')
      .select('value')
      .where('name', '=', 'signing')
      .executeTakeFirstOrThrow()
    await database.db.updateTable('bots').set({ api_key: value }).execute()
    expect(() => openCredential(sealer, contexts.botKeyContext(bot), value)).toThrow()
  })

  it('leaves the values of another SECRET_KEY, and runs again with the right one', async () => {
    await fill(database, (secret) => sealAsBefore(secret, 'another secret of tests, as long as that'))
    const other = 'another secret of tests, as long as that'
    await resealSecrets(database, deps)
    await resealSecrets(database, { ...deps, secretKey: other, sealer })
    expect(await openAll(database)).toEqual(resealed)
  })

  it('seals more values than one page holds, beside some that cannot be opened', async () => {
    await fill(database)
    const records = Array.from({ length: 1_200 }, (_none, index) => ({
      model: 'Session',
      id: String(index).padStart(5, '0'),
      payload: sealAsBefore(String(index), index % 3 === 0 ? 'another secret of tests' : secretKey),
    }))
    for (let index = 0; index < records.length; index += 300)
      await database.db
        .insertInto('oidc')
        .values(records.slice(index, index + 300))
        .execute()
    await resealSecrets(database, deps)
    const rows = await database.db
      .selectFrom('oidc')
      .selectAll()
      .where('model', '=', 'Session')
      .orderBy('id')
      .execute()
    for (const [index, row] of rows.entries()) {
      if (index % 3 === 0) expect(row.payload).toBe(records[index]?.payload)
      else expect(sealer.open(row.payload, contexts.signInRecordContext(row))).toBe(String(index))
    }
  })

  it.runIf(isConcurrent(engine))('runs once when two nodes start together', async () => {
    await fill(database)
    await Promise.all([resealSecrets(database, deps), resealSecrets(database, deps)])
    expect(await openAll(database)).toEqual(resealed)
  })
})

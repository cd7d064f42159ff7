import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { signInRecordContext } from '../../db/secrets/seal-contexts.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import {
  openIdentityServer,
  testSecret,
  type IdentityServer,
} from '../../testing/identity/identity-server.ts'
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'
import { createRecordLimiter } from './limit-records.ts'
import { hashRecordId, upsertRecord } from './oidc-store.ts'

const minuteMs = 60_000

describe.each(engines)('requests to the embedded provider without an account on %s', (engine) => {
  let database: TestDatabase
  let server: IdentityServer

  beforeAll(async () => {
    database = await openTestDatabase(engine)
    server = await openIdentityServer({ database })
  })
  afterEach(() => database.db.deleteFrom('oidc').execute())
  afterAll(async () => {
    await server.close()
    await database.close()
  })

  const newSession = () => new SignInSession(server.baseUrl)
  const listRecords = () => database.db.selectFrom('oidc').selectAll().orderBy('expires_at').execute()
  const remainingMs = (expiresAt: number | null | undefined) => (expiresAt ?? Infinity) - Date.now()

  it.each(['state', 'nonce', 'audience', 'login_hint', 'unknown'])(
    'are refused when %s has more than 1,024 characters, and store nothing',
    async (name) => {
      const session = newSession()
      const { address } = session.authorization({ [name]: 'x'.repeat(1_025) })
      const response = await session.fetch(address)
      expect(response.status).toBe(400)
      expect(response.headers.get('content-type')).toContain('text/html')
      expect(await listRecords()).toEqual([])
    },
  )

  it('may have a state of 1,024 characters', async () => {
    const session = newSession()
    const { address } = session.authorization({ state: 'x'.repeat(1_024) })
    expect((await session.fetch(address)).status).toBe(303)
    expect(await listRecords()).toHaveLength(1)
  })

  it('are refused when their address has more than 4,096 characters', async () => {
    const session = newSession()
    const long = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, 'x'.repeat(1_000)]))
    expect((await session.fetch(session.authorization(long).address)).status).toBe(400)
    expect(await listRecords()).toEqual([])
  })

  it('store no parameters of a body, and have no long body', async () => {
    const session = newSession()
    const { search } = session.authorization().address
    for (const path of ['/oidc/auth', '/oidc/session/end']) {
      const response = await session.post(path, Object.fromEntries(new URLSearchParams(search)))
      expect(response.status).toBe(404)
    }
    expect((await session.requestToken({ grant_type: 'x'.repeat(17_000) })).status).toBe(413)
    expect(await listRecords()).toEqual([])
  })

  /** Sends a form whose length the server does not know before it has read it. */
  const sendChunks = (path: string, fields: Readonly<Record<string, string>>) =>
    fetch(`${server.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new Blob([new URLSearchParams(fields).toString()]).stream(),
      duplex: 'half',
    })

  it.each(['/oidc/token', '/oidc/token/revocation', '/oidc/session/end/confirm', '/oidc/set-up'])(
    'have no long body at %s that is sent in chunks',
    async (path) => {
      const maxFiller = 16_384 - 'client_id=yonder&filler='.length
      const send = (chars: number) =>
        sendChunks(path, { client_id: 'yonder', filler: 'x'.repeat(maxFiller + chars) })
      expect((await send(0)).status).not.toBe(413)
      expect((await send(1)).status).toBe(413)
      expect(await listRecords()).toEqual([])
    },
  )

  it('may send the form of a refresh in chunks', async () => {
    const { refresh_token } = await newSession().join()
    const fields = { client_id: 'yonder', grant_type: 'refresh_token', refresh_token }
    const refreshed = await sendChunks('/oidc/token', fields)
    await database.db.deleteFrom('accounts').execute()
    expect(await refreshed.json()).toMatchObject({ access_token: expect.any(String) as string })
  })

  it('store a sign-in for fifteen minutes', async () => {
    const session = newSession()
    await session.openForm()
    const [record] = await listRecords()
    expect(record?.model).toBe('Interaction')
    expect(remainingMs(record?.expires_at)).toBeLessThanOrEqual(15 * minuteMs)
  })

  it('store a session without an account for fifteen minutes, and one with an account for longer', async () => {
    const session = newSession()
    for (let index = 0; index < 3; index += 1) await session.fetch('/oidc/session/end')
    const anonymous = await listRecords()
    expect(anonymous.map(({ model }) => model)).toEqual(['AnonymousSession'])
    expect(remainingMs(anonymous[0]?.expires_at)).toBeLessThanOrEqual(15 * minuteMs)

    await session.signUp()
    const sessions = (await listRecords()).filter(({ model }) => model.includes('Session'))
    expect(sessions.map(({ model }) => model)).toEqual(['Session'])
    expect(remainingMs(sessions[0]?.expires_at)).toBeGreaterThan(24 * 60 * minuteMs)
    await database.db.deleteFrom('accounts').execute()
  })

  it('can sign out in a browser that is not signed in', async () => {
    const session = newSession()
    const page = await (await session.fetch('/oidc/session/end')).text()
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const done = await session.post('/oidc/session/end/confirm', { xsrf, logout: 'yes' })
    expect(done.status).toBe(303)
  })

  it('keep 10,000 sign-ins that have begun, and 1,000 refresh tokens of each', async () => {
    const add = async (model: string, count: number) => {
      const rows = Array.from({ length: count }, (_, index) => ({
        model,
        id: `${index}`,
        payload: '',
        grant_id: model === 'RefreshToken' ? 'grant' : null,
        expires_at: index + 1,
      }))
      for (let from = 0; from < count; from += 1_000) {
        await database.db
          .insertInto('oidc')
          .values(rows.slice(from, from + 1_000))
          .execute()
      }
    }
    await add('Interaction', 10_003)
    await add('RefreshToken', 1_003)
    const limitRecords = createRecordLimiter(database.db)
    for (let count = 0; count < 200; count += 1) {
      await limitRecords({ model: 'Interaction', grant_id: null })
      await limitRecords({ model: 'RefreshToken', grant_id: 'grant' })
    }
    const kept = (await listRecords()).map(({ model }) => model)
    expect(kept.filter((model) => model === 'Interaction')).toHaveLength(10_000)
    expect(kept.filter((model) => model === 'RefreshToken')).toHaveLength(1_000)
  })

  it('keep a bounded number of records, and delete those that expire first', async () => {
    const limitRecords = createRecordLimiter(database.db, { max: 3, maxTokens: 2, every: 2 })
    const add = async (model: string, id: string, expires_at: number, grant_id: string | null = null) => {
      const record = { model, id: hashRecordId(id), grant_id }
      const payload = createSealer(testSecret).seal('{}', signInRecordContext(record))
      await upsertRecord(database.db, {
        ...record,
        payload,
        uid: id,
        expires_at,
      })
      await limitRecords(record)
    }
    for (let index = 0; index < 6; index += 1) {
      await add('Interaction', `interaction ${index}`, 1_000 + index)
      await add('AnonymousSession', `session ${index}`, 1_000 + index)
      await add('RefreshToken', `token ${index}`, 1_000 + index, 'grant')
      await add('RefreshToken', `other ${index}`, 1_000 + index, `grant ${index}`)
      await add('AuthorizationCode', `code ${index}`, 1_000 + index, 'grant')
    }
    const rows = await listRecords()
    const keptOf = (model: string) => rows.filter((row) => row.model === model).map(({ uid }) => uid)
    expect(keptOf('Interaction')).toEqual(['interaction 3', 'interaction 4', 'interaction 5'])
    expect(keptOf('AnonymousSession')).toEqual(['session 3', 'session 4', 'session 5'])
    const others = [0, 1, 2, 3, 4, 5].map((index) => `other ${index}`)
    expect(keptOf('RefreshToken').toSorted()).toEqual([...others, 'token 4', 'token 5'])
    expect(keptOf('AuthorizationCode')).toHaveLength(6)
  })
})

it('counts all requests of an address to the provider and its pages together', async () => {
  const database = await openTestDatabase('sqlite')
  const server = await openIdentityServer({ database, environment: { RATE_LIMIT_OIDC: '5' } })
  const session = new SignInSession(server.baseUrl)
  // Two requests: the authorization, and its page.
  const { path, form } = await session.openForm()
  const statuses = [
    (await session.fetch('/oidc/account')).status,
    (await session.fetch('/oidc/session/end/success')).status,
    (await session.post(path, { ...testAccount, form })).status,
  ]
  const refusedPage = await session.fetch(path)
  const refusedStart = await session.fetch(session.authorization().address)
  await server.close()
  await database.close()
  expect(statuses).toEqual([401, 200, 401])
  expect(refusedPage.status).toBe(429)
  expect(await refusedPage.text()).toContain('Too many attempts')
  expect(Number(refusedPage.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refusedStart.status).toBe(429)
  expect(await refusedStart.text()).toContain('Too many attempts')
})

it('lets the users of one address sign in, each with three requests that count, and two more to create the account', async () => {
  const database = await openTestDatabase('sqlite')
  const server = await openIdentityServer({ database, environment: { RATE_LIMIT_OIDC: '62' } })
  const statuses: number[] = []
  for (let user = 0; user < 20; user += 1) {
    const session = new SignInSession(server.baseUrl)
    for (const path of ['/.well-known/openid-configuration', '/jwks'])
      statuses.push((await session.fetch(`/oidc${path}`)).status)
    const code = user === 0 ? await session.signUp() : await session.signIn()
    statuses.push((await session.redeem(code)).status)
  }
  await server.close()
  await database.close()
  expect(new Set(statuses)).toEqual(new Set([200]))
})

it('counts of the requests for tokens only those that fail', async () => {
  const database = await openTestDatabase('sqlite')
  const server = await openIdentityServer({ database, environment: { RATE_LIMIT_OIDC: '12' } })
  const session = new SignInSession(server.baseUrl)
  const { refresh_token: token } = await session.join()
  for (let count = 0; count < 30; count += 1) expect((await session.refresh(token)).status).toBe(200)
  for (let count = 0; count < 12; count += 1) expect((await session.refresh('unknown')).status).toBe(400)
  const refused = await session.refresh('unknown')
  await server.close()
  await database.close()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited' } })
})

import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import {
  openIdentityServer,
  testSecret,
  type IdentityServer,
} from '../../testing/identity/identity-server.ts'
import { SignInSession, type Tokens } from '../../testing/identity/sign-in-session.ts'
import type { EndedSession } from '../sessions/embedded-sessions.ts'
import { rotateSigningKeys } from './identity-keys.ts'
import { hashRecordId, upsertRecord } from './oidc-store.ts'

describe.each(engines)('the embedded provider on %s', (engine) => {
  const clock = { offset: 0 }
  const newUsers: string[] = []
  let database: TestDatabase
  let server: IdentityServer
  const ended: EndedSession[] = []
  let userCount = 0

  beforeAll(async () => {
    database = await openTestDatabase(engine)
    server = await openIdentityServer({
      database,
      clock,
      onNewUser: async (_trx, user) => {
        newUsers.push(user.subject)
      },
    })
  })
  beforeAll(() => server.identity.sessions?.onEnd((session) => ended.push(session)))
  afterAll(async () => {
    await server.close()
    await database.close()
  })

  const newSession = () => new SignInSession(server.baseUrl)
  const newEmail = () => `user-${(userCount += 1)}@example.com`
  const statusOf = async (response: Promise<Response>) => (await response).status
  const addSigningKey = (offset = 0) => {
    const now = () => Date.now() + offset
    return rotateSigningKeys({ db: database.db, sealer: createSealer(testSecret), now }, 0)
  }

  it('creates an account, signs in with it, and returns its profile (§3.2, §7.27)', async () => {
    const email = newEmail()
    const tokens = await newSession().join({ name: 'Ada', email })
    const again = (await (await newSession().redeem(await newSession().signIn({ email }))).json()) as Tokens

    const user = await (await server.readUser(again.access_token)).json()
    expect(user).toEqual({
      sub: decodeJwt(tokens.access_token).sub,
      name: 'Ada',
      email,
      picture: null,
      userPrefix: expect.stringMatching(/^user-\d+-[0-9a-f]{8}$/),
    })
  })

  it('includes name and e-mail in both tokens; an access token is valid for five minutes', async () => {
    const email = newEmail()
    const { access_token, id_token } = await newSession().join({ name: 'Ada', email })
    expect(decodeJwt(id_token)).toMatchObject({ name: 'Ada', email, aud: 'yonder' })
    const { exp = 0, iat = 0, ...claims } = decodeJwt(access_token)
    expect(claims).toMatchObject({ name: 'Ada', email, aud: `${server.baseUrl}/api` })
    expect(exp - iat).toBe(300)
  })

  it('stores a new user once when eight requests arrive at the same time', async () => {
    const { access_token } = await newSession().join({ email: newEmail() })
    const statuses = await Promise.all(
      Array.from({ length: 8 }, () => statusOf(server.readUser(access_token))),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    const { sub } = decodeJwt(access_token)
    expect(newUsers.filter((subject) => subject === sub)).toHaveLength(1)
  })

  describe('the API', () => {
    it('refuses a signed token whose grant is not stored, was made up, or is of another account', async () => {
      const { access_token } = await newSession().join({ email: newEmail() })
      const other = await newSession().join({ email: newEmail() })
      const { db } = database
      const sealer = createSealer(testSecret)
      const [key] = await rotateSigningKeys({ db, sealer, now: Date.now })
      const privateKey = await importJWK(key!, 'RS256')
      const claims = decodeJwt(access_token)
      const sign = (changes: object) =>
        new SignJWT({ ...claims, ...changes })
          .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key!.kid })
          .sign(privateKey)
      const id = hashRecordId('made-up')
      const record = { model: 'Grant', id, payload: '', grant_id: null, uid: null, expires_at: null }
      await upsertRecord(db, { ...record, payload: JSON.stringify({ accountId: claims.sub }) })

      expect(await statusOf(server.readUser(await sign({})))).toBe(200)
      for (const changes of [
        { grant_id: 'unknown' },
        { grant_id: 'made-up' },
        { grant_id: decodeJwt(other.access_token)['grant_id'] },
      ])
        expect(await statusOf(server.readUser(await sign(changes)))).toBe(401)
    })

    it('accepts access tokens only', async () => {
      const { access_token, id_token, refresh_token } = await newSession().join({ email: newEmail() })
      expect(await statusOf(server.readUser(access_token))).toBe(200)
      expect(await statusOf(server.readUser(id_token))).toBe(401)
      expect(await statusOf(server.readUser(refresh_token))).toBe(401)
    })

    it('refuses an access token one minute after its five minutes (§9.15)', async () => {
      const { access_token } = await newSession().join({ email: newEmail() })
      clock.offset = 350_000
      expect(await statusOf(server.readUser(access_token))).toBe(200)
      clock.offset = 370_000
      expect(await statusOf(server.readUser(access_token))).toBe(401)
      clock.offset = 0
    })
  })

  describe('sign-out', () => {
    it('revokes the refresh and access tokens of that session, but not of another one', async () => {
      const session = newSession()
      const email = newEmail()
      const tokens = await session.join({ email })
      const other = newSession()
      const otherTokens = (await (await other.redeem(await other.signIn({ email }))).json()) as Tokens

      const { id } = await server.identity.verify(tokens.access_token)
      ended.length = 0
      const revoked = await fetch(`${server.baseUrl}/oidc/token/revocation`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'yonder', token: tokens.refresh_token }),
      })
      expect(revoked.status).toBe(200)
      expect(await statusOf(session.refresh(tokens.refresh_token))).toBe(400)
      expect(await statusOf(server.readUser(tokens.access_token))).toBe(401)
      expect(await statusOf(server.readUser(otherTokens.access_token))).toBe(200)
      expect(await statusOf(other.refresh(otherTokens.refresh_token))).toBe(200)
      const sessionId = server.identity.sessions?.idOf(tokens.access_token)
      expect(sessionId).not.toBe(server.identity.sessions?.idOf(otherTokens.access_token))
      expect(ended).toEqual([{ sessionId, userId: id, isLast: false }])
      expect(await server.identity.sessions?.listEnded()).toContain(sessionId)
    })

    it("revokes them before the response of the provider's sign-out page", async () => {
      const session = newSession()
      const tokens = await session.join({ email: newEmail() })
      const { id } = await server.identity.verify(tokens.access_token)
      ended.length = 0
      const page = await session.fetch(`/oidc/session/end?id_token_hint=${tokens.id_token}`)
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
      const done = await session.post('/oidc/session/end/confirm', { xsrf, logout: 'yes' })
      expect(done.status).toBe(303)
      const sessionId = server.identity.sessions?.idOf(tokens.access_token)
      expect(ended).toEqual([{ sessionId, userId: id, isLast: true }])
      expect(await statusOf(server.readUser(tokens.access_token))).toBe(401)
      expect(await statusOf(session.refresh(tokens.refresh_token))).toBe(400)
      // The next sign-in needs the password.
      expect((await session.openForm()).text).toContain('name="password"')
    })

    it('needs a confirmation, unless the request contains the ID token of the signed-in user', async () => {
      const session = newSession()
      const { id_token } = await session.join({ email: newEmail() })
      const otherUser = await newSession().join({ email: newEmail() })
      const submitsItself = async (query: string) =>
        (await (await session.fetch(`/oidc/session/end${query}`)).text()).includes('.logout.click()')
      expect(await submitsItself(`?id_token_hint=${id_token}`)).toBe(true)
      expect(await submitsItself('')).toBe(false)
      expect(await submitsItself(`?id_token_hint=${otherUser.id_token}`)).toBe(false)
    })

    it.runIf(isConcurrent(engine))('takes effect on every node at once', async () => {
      const node = await openIdentityServer({ database, environment: { PUBLIC_URL: server.baseUrl } })
      const session = newSession()
      const tokens = await session.join({ email: newEmail() })
      expect(await statusOf(node.readUser(tokens.access_token))).toBe(200)
      await fetch(`${server.baseUrl}/oidc/token/revocation`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'yonder', token: tokens.refresh_token }),
      })
      expect(await statusOf(node.readUser(tokens.access_token))).toBe(401)
      await node.close()
    })
  })

  describe('refresh tokens', () => {
    it('have the same successor when they are used twice within ten seconds', async () => {
      const session = newSession()
      const first = await session.join({ email: newEmail() })
      const refresh = async (token: string) => (await (await session.refresh(token)).json()) as Tokens
      const [second, again] = await Promise.all([refresh(first.refresh_token), refresh(first.refresh_token)])
      expect(again.refresh_token).toBe(second.refresh_token)
      expect(second.refresh_token).not.toBe(first.refresh_token)
      clock.offset = 5_000
      const third = await refresh(second.refresh_token)
      expect((await refresh(first.refresh_token)).refresh_token).toBe(second.refresh_token)
      expect((await refresh(second.refresh_token)).refresh_token).toBe(third.refresh_token)
      const { db } = database
      const tokens = await db
        .selectFrom('oidc')
        .select('id')
        .where('model', '=', 'RefreshToken')
        .where('grant_id', '=', String(server.identity.sessions?.idOf(first.access_token)))
        .execute()
      expect(tokens).toHaveLength(3)
      for (const { access_token } of [second, again, third]) {
        expect(await statusOf(server.readUser(access_token))).toBe(200)
      }
      // The successor is used after its predecessor, and a reuse after the overlap ends the session.
      clock.offset = 16_000
      expect(await statusOf(session.refresh(third.refresh_token))).toBe(200)
      expect(await statusOf(session.refresh(first.refresh_token))).toBe(400)
      expect(await statusOf(session.refresh(third.refresh_token))).toBe(400)
      clock.offset = 0
    })

    it('rotate, work twice within ten seconds, and end the session when they are reused later', async () => {
      const session = newSession()
      const first = await session.join({ email: newEmail() })
      const second = (await (await session.refresh(first.refresh_token)).json()) as Tokens
      expect(second.refresh_token).not.toBe(first.refresh_token)
      expect(await statusOf(session.refresh(first.refresh_token))).toBe(200)
      clock.offset = 11_000
      expect(await statusOf(session.refresh(first.refresh_token))).toBe(400)
      expect(await statusOf(session.refresh(second.refresh_token))).toBe(400)
      expect(await statusOf(server.readUser(second.access_token))).toBe(401)
      clock.offset = 0
    })
  })

  describe('stored and published data', () => {
    it('contain no token, code, private key or password in the database', async () => {
      const session = newSession()
      const tokens = await session.join({ email: newEmail() })
      const code = await session.signIn({})
      const allRows = await readAllRows(database)
      expect(allRows).not.toContain(tokens.refresh_token)
      expect(allRows).not.toContain(code.code)
      expect(allRows).not.toContain('"d"')
      expect(allRows).not.toContain('correct horse')
      expect(allRows.length).toBeGreaterThan(1_000)
    })

    it('contain public keys without their private parts', async () => {
      const { keys } = (await (await fetch(`${server.baseUrl}/oidc/jwks`)).json()) as {
        keys: Record<string, unknown>[]
      }
      expect(keys).toHaveLength(1)
      expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    })
  })

  it('keeps users signed in after a restart and after a new signing key', async () => {
    const session = newSession()
    const tokens = await session.join({ email: newEmail() })
    const { port } = server
    await server.close()
    await addSigningKey()
    server = await openIdentityServer({ database, clock, port })

    expect(await statusOf(server.readUser(tokens.access_token))).toBe(200)
    const refreshed = (await (await session.refresh(tokens.refresh_token)).json()) as Tokens
    expect(await statusOf(server.readUser(refreshed.access_token))).toBe(200)
    const kids = [tokens, refreshed].map(({ access_token }) => access_token.split('.')[0])
    expect(kids[0]).not.toBe(kids[1])
    // The cookie of the browser is still valid, so no password is needed.
    const { address } = await session.openForm()
    expect(new URL(address).searchParams.get('code')).not.toBeNull()
  })

  describe('a node that was not restarted', () => {
    const day = 86_400_000
    const openNode = () => openIdentityServer({ database, environment: { PUBLIC_URL: server.baseUrl } })
    const refreshAt = async (node: IdentityServer, token: string) => {
      const body = new URLSearchParams({
        client_id: 'yonder',
        grant_type: 'refresh_token',
        refresh_token: token,
      })
      return (await (await fetch(`${node.baseUrl}/oidc/token`, { method: 'POST', body })).json()) as Tokens
    }
    const keyIdOf = (token: string) => decodeProtectedHeader(token).kid
    const listPublicKeyIds = async () => {
      const { keys } = (await (await fetch(`${server.baseUrl}/oidc/jwks`)).json()) as {
        keys: { readonly kid: string }[]
      }
      return keys.map(({ kid }) => kid)
    }

    it('accepts several tokens at once that another node signed with a new key', async () => {
      const joined = await Promise.all([1, 2, 3].map(() => newSession().join({ email: newEmail() })))
      await addSigningKey()
      const node = await openNode()
      const refreshed = await Promise.all(joined.map((tokens) => refreshAt(node, tokens.refresh_token)))
      await node.close()
      const statuses = refreshed.map((tokens) => statusOf(server.readUser(tokens.access_token)))
      expect(await Promise.all(statuses)).toEqual([200, 200, 200])
    })

    it('accepts an ID token that another node signed with a new key when its user signs out', async () => {
      const session = newSession()
      const { refresh_token } = await session.join({ email: newEmail() })
      await addSigningKey()
      const node = await openNode()
      const { id_token } = await refreshAt(node, refresh_token)
      await node.close()
      const page = await session.fetch(`/oidc/session/end?id_token_hint=${id_token}`)
      expect(page.status).toBe(200)
      // The page submits itself, because the user of the token is the one who is signed in.
      expect(await page.text()).toContain('.logout.click()')
    })

    it('signs with the key of now after its own was dropped, so that other nodes accept its tokens', async () => {
      const session = newSession()
      const before = await session.join({ email: newEmail() })
      const [first, second] = [await addSigningKey(), await addSigningKey(50 * day)]
      const keyIds = second.map(({ kid }) => kid)
      expect(keyIds).toContain(first[0]?.kid)
      expect(keyIds).not.toContain(keyIdOf(before.access_token))

      const { access_token } = await refreshAt(server, before.refresh_token)
      expect(keyIdOf(access_token)).toBe(keyIds[0])
      expect(await listPublicKeyIds()).toEqual(keyIds)
      const node = await openNode()
      expect(await statusOf(node.readUser(access_token))).toBe(200)
      await node.close()
    })

    it('replaces its signing key after ninety days, once for many requests', async () => {
      const [before] = await listPublicKeyIds()
      clock.offset = 150 * day
      const lists = await Promise.all([listPublicKeyIds(), listPublicKeyIds(), listPublicKeyIds()])
      clock.offset = 0
      expect(lists[0]).toHaveLength(2)
      expect(lists[0]?.[0]).not.toBe(before)
      expect(lists[0]?.[1]).toBe(before)
      expect(lists).toEqual([lists[0], lists[0], lists[0]])
    })
  })
})

async function readAllRows({ db }: TestDatabase): Promise<string> {
  const tables = ['keys', 'accounts', 'oidc', 'ended_grants', 'users']
  const rows = await Promise.all(tables.map((name) => sql`select * from ${sql.table(name)}`.execute(db)))
  return JSON.stringify(rows.map((result) => result.rows))
}

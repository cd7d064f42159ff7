import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { failStatements } from '../../testing/database/fail-statements.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { openIdentityServer, type IdentityServer } from '../../testing/identity/identity-server.ts'
import { SignInSession, type Tokens } from '../../testing/identity/sign-in-session.ts'
import { SigningKeys } from './identity-keys.ts'

describe.each(engines)('the OpenID endpoints on %s', (engine) => {
  let database: TestDatabase
  let server: IdentityServer
  let userCount = 0

  beforeAll(async () => {
    database = await openTestDatabase(engine)
    server = await openIdentityServer({ database })
  })
  afterAll(async () => {
    await server.close()
    await database.close()
  })

  const newSession = () => new SignInSession(server.baseUrl)
  const newEmail = () => `user-${(userCount += 1)}@example.com`
  const statusOf = async (response: Promise<Response>) => (await response).status

  it('do not build addresses from the Host header', async () => {
    const document = await readWithHost(server, 'evil.example')
    expect(document['issuer']).toBe(`${server.baseUrl}/oidc`)
    const addresses = Object.entries(document).filter(([name]) => /_(endpoint|uri)$/.test(name))
    expect(addresses.length).toBeGreaterThan(3)
    for (const [, address] of addresses) expect(address).toContain(`${server.baseUrl}/oidc/`)
  })

  it.each([
    ['another path', { redirect_uri: '/callback' }],
    ['a path with two slashes', { redirect_uri: '//' }],
    ['another name of the same host', { redirect_uri: 'http://127.0.0.1/' }],
    ['another site', { redirect_uri: 'https://evil.example/' }],
  ])('redirect to the root of the app only, not to %s', async (_name, { redirect_uri }) => {
    const session = newSession()
    const target = redirect_uri.startsWith('/') ? server.baseUrl + redirect_uri : redirect_uri
    const response = await session.fetch(session.authorization({ redirect_uri: target }).address)
    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
  })

  it('do not redirect to another site after signing out', async () => {
    const query = 'client_id=yonder&post_logout_redirect_uri=https%3A%2F%2Fevil.example'
    expect((await newSession().fetch(`/oidc/session/end?${query}`)).status).toBe(400)
  })

  it('say that a sign-out failed, and not a sign-in', async () => {
    const session = newSession()
    await session.signUp({ email: newEmail() })
    const start = await session.fetch('/oidc/session/end?id_token_hint=unknown')
    const confirm = await session.post('/oidc/session/end/confirm', { xsrf: 'unknown', logout: 'yes' })
    for (const response of [start, confirm]) {
      expect(response.status).toBe(400)
      const page = await response.text()
      expect(page).toContain('The sign-out failed')
      expect(page).not.toMatch(/sign-in (failed|has expired|request)/)
    }
  })

  it.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a token in the address', { response_type: 'token' }, 'unsupported_response_type'],
    ['for an ID token in the address', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['for a foreign audience', { audience: 'https://other.example/api' }, 'invalid_target'],
  ])('refuse an authorization request %s', async (_name, changes, error) => {
    const session = newSession()
    const { address, response } = await session.follow(
      await session.fetch(session.authorization(changes).address),
    )
    const found = new URL(address.replace('#', '?')).searchParams.get('error')
    expect(found ?? (await response.text())).toContain(error)
  })

  it.runIf(isConcurrent(engine))('redeem a code once in twelve concurrent attempts', async () => {
    const session = newSession()
    const code = await session.signUp({ email: newEmail() })
    const statuses = await Promise.all(Array.from({ length: 12 }, () => statusOf(session.redeem(code))))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(11)
  })

  it('end the session when a code is used twice', async () => {
    const session = newSession()
    const code = await session.signUp({ email: newEmail() })
    const tokens = (await (await session.redeem(code)).json()) as Tokens
    expect(await statusOf(session.redeem(code))).toBe(400)
    expect(await statusOf(server.readUser(tokens.access_token))).toBe(401)
    expect(await statusOf(session.refresh(tokens.refresh_token))).toBe(400)
  })

  it.runIf(isConcurrent(engine))(
    'are temporarily unavailable while the database is away, and valid afterwards',
    async () => {
      const session = newSession()
      const tokens = await session.join({ email: newEmail() })
      const [error, step] =
        engine === 'sqlite'
          ? ([Object.assign(new Error('locked'), { code: 'SQLITE_IOERR' }), 'statement'] as const)
          : ([Object.assign(new Error('timeout exceeded')), 'connect'] as const)
      const restore = failStatements(engine, error, step)
      const refused = await session.refresh(tokens.refresh_token).finally(restore)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' })
      expect(await statusOf(session.refresh(tokens.refresh_token))).toBe(200)
    },
  )

  it.runIf(isConcurrent(engine)).each(['a form', '/oidc/auth', '/oidc/session/end'])(
    'say at %s why the database has failed, and change nothing',
    async (place) => {
      const session = newSession()
      await session.signUp({ email: newEmail() })
      const other = newSession()
      const { path, form } = await other.openForm()
      const request = {
        'a form': () => other.post(path, { email: newEmail(), password: 'x', form }),
        '/oidc/auth': () => session.fetch(session.authorization().address),
        '/oidc/session/end': () => session.fetch('/oidc/session/end'),
      }[place]
      const before = await hashTables(database)
      for (const [code, status, retryAfter, text] of storageFailures[engine]) {
        const restore = failStatements(engine, Object.assign(new Error('failed'), { code }))
        const refused = await request?.().finally(restore)
        expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([status, retryAfter])
        const page = await refused?.text()
        expect(page).toContain(text)
        expect(page).not.toContain('not valid')
        expect(page).not.toContain('The sign-in failed')
      }
      expect(await hashTables(database)).toEqual(before)
    },
  )

  it.runIf(isConcurrent(engine))(
    'say the same when the database fails after the signing keys were read',
    async () => {
      const { read } = SigningKeys.prototype
      let keys: ReturnType<typeof read> | undefined
      vi.spyOn(SigningKeys.prototype, 'read').mockImplementation(function readOnce(this: SigningKeys) {
        return (keys ??= read.call(this))
      })
      const session = newSession()
      const { refresh_token } = await session.join({ email: newEmail() })
      const [[code, status, retryAfter, text]] = storageFailures[engine]
      const restore = failStatements(engine, Object.assign(new Error('failed'), { code }))
      const refused = await session.refresh(refresh_token)
      const page = await session.fetch(session.authorization().address)
      restore()
      vi.restoreAllMocks()
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' })
      expect([page.status, page.headers.get('retry-after')]).toEqual([status, retryAfter])
      expect(await page.text()).toContain(text)
    },
  )

  it('refuse a code with another verifier', async () => {
    const session = newSession()
    const code = await session.signUp({ email: newEmail() })
    expect(await statusOf(session.redeem({ ...code, verifier: 'x'.repeat(43) }))).toBe(400)
  })
})

/** A code of the driver, and the status, `Retry-After` and text of the response. */
const storageFailures = {
  // A busy file is tried again for five seconds, so PostgreSQL proves the other status.
  sqlite: [['SQLITE_FULL', 507, null, 'no disk space left']],
  postgres: [
    ['53100', 507, null, 'no disk space left'],
    ['57014', 503, '5', 'The database took too long'],
  ],
} as const

/** Uses `node:http`, because `fetch` does not allow another Host header. */
function readWithHost({ port }: IdentityServer, host: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const headers = {
      host,
      'x-forwarded-host': host,
      'x-forwarded-proto': 'https',
      forwarded: `host=${host}`,
    }
    httpRequest(
      { port, host: 'localhost', path: '/oidc/.well-known/openid-configuration', headers },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => resolve(JSON.parse(text) as Record<string, unknown>))
      },
    )
      .on('error', reject)
      .end()
  })
}

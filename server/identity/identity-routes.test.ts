import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { openIdentityServer, type IdentityServer } from '../testing/identity/identity-server.ts'
import { SignInSession, type Tokens } from '../testing/identity/sign-in-session.ts'
import { userPrefix } from './identity-routes.ts'

let database: TestDatabase
let server: IdentityServer
let tokens: Tokens

beforeAll(async () => {
  database = await openTestDatabase('sqlite')
  server = await openIdentityServer({ database })
  tokens = await new SignInSession(server.baseUrl).join()
})
afterAll(async () => {
  await server.close()
  await database.close()
})

it('returns the signed-in user, without a role or internal fields (§6.6, §7.27)', async () => {
  const response = await server.readUser(tokens.access_token)
  expect(response.status).toBe(200)
  expect(Object.keys((await response.json()) as object).sort()).toEqual([
    'email',
    'name',
    'picture',
    'sub',
    'userPrefix',
  ])
})

it.each<[string, (token: string) => readonly string[], string]>([
  ['no token', () => [], ''],
  ['an empty header', () => ['authorization', ''], ''],
  ['another scheme', (token) => ['authorization', `Basic ${token}`], ''],
  ['two headers', (token) => ['authorization', `Bearer ${token}`, 'authorization', `Bearer ${token}`], ''],
  ['two tokens in a header', (token) => ['authorization', `Bearer ${token} ${token}`], ''],
  ['another header', (token) => ['x-api-key', token], ''],
  ['a cookie', (token) => ['cookie', `access_token=${token}; authorization=Bearer ${token}`], ''],
  ['the address', () => [], '?access_token='],
])(
  'accepts a token in the Authorization header only: %s is refused (§7.1)',
  async (_name, headers, query) => {
    const path = `/api/auth/userinfo${query === '' ? '' : query + tokens.access_token}`
    const { status, body, challenge } = await send(path, headers(tokens.access_token))
    expect(status).toBe(401)
    expect(challenge).toBe('Bearer')
    expect(JSON.parse(body)).toEqual({ error: { code: 'unauthenticated', message: expect.any(String) } })
  },
)

/** Uses `node:http`, because `fetch` joins headers with the same name. */
function send(
  path: string,
  headers: readonly string[],
): Promise<{ status: number | undefined; body: string; challenge: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: 'localhost',
        port: server.port,
        path,
        headers: ['host', `localhost:${server.port}`, ...headers],
      },
      (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString()))
        response.on('end', () =>
          resolve({ status: response.statusCode, body, challenge: response.headers['www-authenticate'] }),
        )
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

const user = { issuer: 'https://id.example', subject: 'local|1', email: 'Ada.Lovelace@example.com' }

it("derives a prefix from the e-mail's local part and a short hash", () => {
  expect(userPrefix(user)).toMatch(/^ada\.lovelace-[0-9a-f]{8}$/)
})

it('derives the same prefix for a user each time, and another one for another user with the same e-mail', () => {
  const users = [user, { ...user, issuer: 'https://other.example' }, { ...user, subject: 'local|2' }]
  expect(new Set(users.map(userPrefix)).size).toBe(3)
  expect(userPrefix({ ...user })).toBe(userPrefix(user))
})

it.each([null, '', '@example.com', '<b>@example.com'])(
  'derives a prefix when the e-mail has no usable local part: %s',
  (email) => {
    expect(userPrefix({ ...user, email })).toMatch(/^[a-z]+-[0-9a-f]{8}$/)
  },
)

it('returns the settings for the sign-in without a token, and no secret', async () => {
  const database = await openTestDatabase('sqlite')
  const server = await openIdentityServer({
    database,
    environment: {
      GOOGLE_CLIENT_ID: 'google-id',
      GOOGLE_CLIENT_SECRET: 'google-secret',
      SOURCE_URL: 'https://code.example/yonder',
      MAX_GRANT_HOURS: '2',
    },
  })
  const response = await fetch(`${server.baseUrl}/api/settings`)
  const text = await response.text()
  await server.close()
  await database.close()
  expect(response.status).toBe(200)
  expect(JSON.parse(text)).toEqual({
    identity: {
      issuer: `${server.baseUrl}/oidc`,
      clientId: 'yonder',
      audience: `${server.baseUrl}/api`,
      googleParams: { connection: 'google-oauth2' },
      embedded: true,
    },
    sourceUrl: 'https://code.example/yonder',
    demoShareId: 'demo',
    maxGrantHours: 2,
  })
  expect(text).not.toContain('google-secret')
})

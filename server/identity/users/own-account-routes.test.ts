import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { findWords } from '../../testing/database/find-words.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import {
  openHostileIdentityProvider,
  type HostileIdentityProvider,
} from '../../testing/identity/hostile-identity-provider.ts'
import {
  openIdentityServer,
  testSecret,
  type IdentityServer,
} from '../../testing/identity/identity-server.ts'
import { SignInSession, testAccount, type Tokens } from '../../testing/identity/sign-in-session.ts'
import { createLink, invitations } from '../accounts/operator-links.ts'
import { deleteUser, readIssuer } from './manage-users.ts'
import { processPendingUsers } from './user-maintenance.ts'

const minuteMs = 60_000
const { email } = testAccount

let database: TestDatabase
let server: IdentityServer
afterEach(async () => {
  vi.useRealTimers()
  await server.close()
  await database.close()
})

type Held = Pick<Tokens, 'access_token' | 'id_token'>

function deleteAccount(tokens: Held, typed = email): Promise<Response> {
  return fetch(`${server.baseUrl}/api/account/delete`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ confirmation: typed, id_token: tokens.id_token }),
  })
}

async function expectRefusal(response: Response, code: string): Promise<void> {
  expect(await response.json()).toMatchObject({ error: { code } })
}

/** What a node does within a second. */
function process(embedded: boolean): Promise<void> {
  return processPendingUsers({
    database,
    embedded,
    revokeTokens: () => Promise.resolve(),
    deleteData: () => Promise.resolve(),
    onError: (error) => expect.fail(String(error)),
  })
}

const readUserId = async () => (await database.db.selectFrom('users').select('id').executeTakeFirst())?.id

describe.each(engines)('deleting an account of the built-in sign-in, on %s', (engine) => {
  let browser: SignInSession
  let tokens: Tokens
  beforeEach(async () => {
    database = await openTestDatabase(engine)
    server = await openIdentityServer({ database, environment: { SELF_SERVICE: 'on' } })
    browser = new SignInSession(server.baseUrl)
    tokens = await browser.join()
    expect((await server.readUser(tokens.access_token)).status).toBe(200)
  })
  const takeTokens = async (response: Response) => (await response.json()) as Tokens

  it('signs the user out everywhere, and the same e-mail begins empty', async () => {
    const firstId = await readUserId()
    const other = new SignInSession(server.baseUrl)
    const otherTokens = await takeTokens(await other.redeem(await other.signIn()))
    // An invitation that nobody has used.
    const link = { baseUrl: server.baseUrl, subject: email, now: Date.now() }
    await createLink(database.db, createSealer(testSecret), invitations, link)
    expect((await deleteAccount(tokens)).status).toBe(204)

    for (const { access_token, refresh_token } of [tokens, otherTokens]) {
      expect((await server.readUser(access_token)).status).toBe(401)
      expect((await other.refresh(refresh_token)).status).toBe(400)
    }
    await process(true)
    const { access_token } = otherTokens
    const [, claims = ''] = access_token.split('.')
    const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly sub: string }
    expect(await findWords(database, [email, 'Ada Lovelace', sub, firstId ?? ''])).toEqual([])
    // Its browser is signed out at the provider too, and no password opens the account.
    const { path, form } = await browser.openForm()
    expect((await browser.post(path, { email, password: testAccount.password, form })).status).toBe(401)

    const again = await new SignInSession(server.baseUrl).join()
    expect((await server.readUser(again.access_token)).status).toBe(200)
    expect(await readUserId()).not.toBe(firstId)
  })

  it('needs a recent sign-in, which a refresh of the tokens is not', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * minuteMs })
    const refreshed = await takeTokens(await browser.refresh(tokens.refresh_token))
    expect((await server.readUser(refreshed.access_token)).status).toBe(200)
    const silent = await takeTokens(await browser.redeem(await browser.signIn()))
    const before = await hashTables(database)
    for (const old of [refreshed, silent]) await expectRefusal(await deleteAccount(old), 'sign_in_too_old')
    expect(await hashTables(database)).toEqual(before)

    const fresh = await takeTokens(
      await browser.redeem(await browser.signIn({}, { prompt: 'login', max_age: '900' })),
    )
    expect((await deleteAccount(fresh)).status).toBe(204)
  })

  it('needs the ID token of this user, signed by the provider', async () => {
    const eve = await new SignInSession(server.baseUrl).join({ email: 'eve@example.com' })
    const [header, , signature] = tokens.id_token.split('.')
    const claims = Buffer.from(JSON.stringify({ auth_time: Date.now() / 1000 })).toString('base64url')
    const before = await hashTables(database)
    for (const id_token of [eve.id_token, `${header}.${claims}.${signature}`, tokens.access_token, ''])
      await expectRefusal(await deleteAccount({ ...tokens, id_token }), 'sign_in_too_old')
    expect(await hashTables(database)).toEqual(before)
  })
})

describe('deleting an account that signs in with Google', () => {
  it('needs a new sign-in with Google when the last one is old, and the same Google user begins empty', async () => {
    database = await openTestDatabase('sqlite')
    const google = await openHostileIdentityProvider()
    google.user = { sub: 'g-1', name: 'Grace', email: 'grace@example.com', email_verified: true }
    server = await openIdentityServer({
      database,
      environment: {
        SELF_SERVICE: 'on',
        GOOGLE_ISSUER: google.issuer,
        GOOGLE_CLIENT_ID: google.clientId,
        GOOGLE_CLIENT_SECRET: 'secret',
      },
    })
    const browser = new SignInSession(server.baseUrl)
    const signIn = async (changes: Readonly<Record<string, string>> = {}): Promise<Tokens> => {
      const { verifier, address } = browser.authorization({ connection: 'google-oauth2', ...changes })
      let { address: end } = await browser.follow(await browser.fetch(address))
      if (end.startsWith(google.issuer)) {
        const consent = await fetch(end, { redirect: 'manual' })
        end = (await browser.follow(await browser.fetch(consent.headers.get('location') ?? ''))).address
      }
      const code = new URL(end).searchParams.get('code') ?? ''
      return (await (await browser.redeem({ code, verifier })).json()) as Tokens
    }
    await signIn()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * minuteMs })
    google.forget()
    const silent = await signIn()
    expect(google.authorizations).toEqual([])
    expect((await server.readUser(silent.access_token)).status).toBe(200)
    const id = await readUserId()
    await expectRefusal(await deleteAccount(silent, 'grace@example.com'), 'sign_in_too_old')
    const fresh = await signIn({ prompt: 'login', max_age: '900' })
    expect(google.authorizations).toHaveLength(1)
    expect((await deleteAccount(fresh, 'grace@example.com')).status).toBe(204)
    await process(true)
    expect(await findWords(database, ['grace@example.com', 'Grace', 'g-1', id ?? ''])).toEqual([])
    const again = await signIn()
    expect((await server.readUser(again.access_token)).status).toBe(200)
    expect(await readUserId()).not.toBe(id)
    await google.close()
  })
})

describe.each(engines)('deleting an account of a hosted provider, on %s', (engine) => {
  let provider: HostileIdentityProvider
  beforeEach(async () => {
    database = await openTestDatabase(engine)
    provider = await openHostileIdentityProvider()
    provider.user = { sub: 'grace@corp.example', name: 'Grace Hopper', email: 'grace@example.com' }
    server = await openIdentityServer({
      database,
      environment: {
        SELF_SERVICE: 'on',
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.clientId,
        OIDC_AUDIENCE: provider.audience,
      },
    })
  })
  afterEach(() => provider.close())

  const nowSeconds = () => Math.floor(Date.now() / 1000)
  /** The tokens of a sign-in of this age. */
  const mint = async (ageSeconds?: number): Promise<Held> => ({
    access_token: await provider.mint(),
    id_token: await provider.mint({
      aud: provider.clientId,
      nonce: 'n',
      ...(ageSeconds === undefined ? {} : { auth_time: nowSeconds() - ageSeconds }),
    }),
  })

  it('needs a provider that says when the user has signed in', async () => {
    const typed = 'grace@example.com'
    const held = await mint(20)
    expect((await server.readUser(held.access_token)).status).toBe(200)
    const before = await hashTables(database)
    await expectRefusal(await deleteAccount(await mint(16 * 60), typed), 'sign_in_too_old')
    const silent = await deleteAccount(await mint(), typed)
    expect(await silent.json()).toMatchObject({
      error: { code: 'sign_in_too_old', message: expect.stringContaining('auth_time') },
    })
    expect(await hashTables(database)).toEqual(before)
    expect((await deleteAccount(held, typed)).status).toBe(204)
  })

  it('keeps nothing of the user, refuses the old tokens, and a new sign-in begins empty', async () => {
    const held = await mint(1)
    expect((await server.readUser(held.access_token)).status).toBe(200)
    const id = await readUserId()
    expect((await deleteAccount(held, 'grace@example.com')).status).toBe(204)
    const refused = await server.readUser(held.access_token)
    expect(await refused.json()).toMatchObject({ error: { message: 'Your account is deleted.' } })
    await process(false)
    for (const token of [held.access_token, await provider.mint({ iat: nowSeconds() - 1 })])
      expect((await server.readUser(token)).status).toBe(401)
    expect(
      await findWords(database, ['grace@corp.example', 'grace@example.com', 'Grace Hopper', id ?? '']),
    ).toEqual([])

    const later = await provider.mint({ iat: nowSeconds() + 2 })
    expect((await server.readUser(later)).status).toBe(200)
    expect(await readUserId()).not.toBe(id)

    // Whom the operator deletes stays out.
    const operator = {
      ...readIssuer(server.config),
      database,
      sealer: createSealer(testSecret),
      now: Date.now,
    }
    await deleteUser(operator, 'grace@example.com')
    await process(false)
    expect((await server.readUser(await provider.mint({ iat: nowSeconds() + 5 }))).status).toBe(401)
  })
})

import { decodeJwt } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { failStatements } from '../../testing/database/fail-statements.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import {
  openHostileIdentityProvider,
  type Faults,
  type HostileIdentityProvider,
} from '../../testing/identity/hostile-identity-provider.ts'
import {
  openIdentityServer,
  testSecret,
  type IdentityServer,
} from '../../testing/identity/identity-server.ts'
import { SignInSession, type Tokens } from '../../testing/identity/sign-in-session.ts'
import { deleteUser, readIssuer } from '../users/manage-users.ts'
import { processPendingUsers } from '../users/user-maintenance.ts'

const grace = { sub: 'g-1', name: 'Grace Hopper', email: 'grace@example.com', email_verified: true }

describe('signing in with Google', () => {
  let database: TestDatabase
  let google: HostileIdentityProvider
  let server: IdentityServer

  beforeEach(async () => {
    database = await openTestDatabase('sqlite')
    google = await openHostileIdentityProvider()
    google.user = grace
    server = await open()
  })
  afterEach(async () => {
    await Promise.all([server.close(), google.close()])
    await database.close()
  })

  function open(environment: Readonly<Record<string, string>> = {}): Promise<IdentityServer> {
    return openIdentityServer({
      database,
      environment: {
        GOOGLE_ISSUER: google.issuer,
        GOOGLE_CLIENT_ID: google.clientId,
        GOOGLE_CLIENT_SECRET: 'google-secret',
        ...environment,
      },
    })
  }
  const listAccounts = () => database.db.selectFrom('accounts').selectAll().execute()

  /** Signs in at Google and returns the callback address, without opening it. */
  async function consentAtGoogle(session: SignInSession) {
    const { verifier, address } = session.authorization({ connection: 'google-oauth2' })
    const { address: consentUrl } = await session.follow(await session.fetch(address))
    expect(consentUrl).toContain(`${google.issuer}/authorize`)
    const response = await fetch(consentUrl, { redirect: 'manual' })
    return { verifier, callback: response.headers.get('location') ?? '' }
  }

  async function signInWithGoogle(session: SignInSession): Promise<Tokens> {
    const { verifier, callback } = await consentAtGoogle(session)
    const { address } = await session.follow(await session.fetch(callback))
    const code = new URL(address).searchParams.get('code') ?? ''
    return (await (await session.redeem({ code, verifier })).json()) as Tokens
  }

  it('uses PKCE, state, nonce and the client secret, and creates an account', async () => {
    const { access_token } = await signInWithGoogle(new SignInSession(server.baseUrl))
    expect(await (await server.readUser(access_token)).json()).toMatchObject({
      sub: expect.stringMatching(/^google-oauth2\|.*g-1$/),
      name: 'Grace Hopper',
      email: 'grace@example.com',
    })
    expect(Object.fromEntries(google.authorizations[0] ?? [])).toMatchObject({
      redirect_uri: `${server.baseUrl}/oidc/federated/callback`,
      code_challenge_method: 'S256',
      nonce: expect.any(String),
    })
    expect(Object.fromEntries(google.tokenRequests[0] ?? [])).toMatchObject({
      client_secret: 'google-secret',
      code_verifier: expect.any(String),
    })
  })

  it('finds the same user again, also when their e-mail has changed', async () => {
    const first = await signInWithGoogle(new SignInSession(server.baseUrl))
    google.user = { ...grace, email: 'hopper@example.com', name: 'Rear Admiral Hopper' }
    const second = await signInWithGoogle(new SignInSession(server.baseUrl))
    expect(decodeJwt(second.access_token).sub).toBe(decodeJwt(first.access_token).sub)
    expect(await listAccounts()).toEqual([
      expect.objectContaining({ email: 'hopper@example.com', name: 'Rear Admiral Hopper' }),
    ])
  })

  it('keeps a local account with the same e-mail separate', async () => {
    const local = await new SignInSession(server.baseUrl).join({ email: 'grace@example.com' })
    const atGoogle = await signInWithGoogle(new SignInSession(server.baseUrl))
    expect(decodeJwt(atGoogle.access_token).sub).not.toBe(decodeJwt(local.access_token).sub)
    expect(await listAccounts()).toHaveLength(2)
    // The password still signs in to the local account.
    const { code } = await new SignInSession(server.baseUrl).signIn({ email: 'grace@example.com' })
    expect(code).not.toBe('')
  })

  it.each([
    ['an unverified e-mail', { ...grace, email_verified: false }],
    ['an e-mail without email_verified', { sub: 'g-1', email: 'grace@example.com' }],
    ['no e-mail', { sub: 'g-1', email_verified: true }],
  ])('refuses %s, and stores no user', async (_name, user) => {
    google.user = user
    const session = new SignInSession(server.baseUrl)
    const { callback } = await consentAtGoogle(session)
    const { response } = await session.follow(await session.fetch(callback))
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('has not verified the e-mail address')
    expect(await listAccounts()).toEqual([])
  })

  it('refuses a response in another browser, and the same response twice', async () => {
    const session = new SignInSession(server.baseUrl)
    const { callback } = await consentAtGoogle(session)
    const other = new SignInSession(server.baseUrl)
    expect((await other.follow(await other.fetch(callback))).response.status).toBe(400)
    // The response does not fit the other browser's own sign-in either.
    const own = await consentAtGoogle(other)
    const ownUid = new URL(own.callback).searchParams.get('state')?.split('.')[0] ?? ''
    const swapped = `/oidc/interaction/${ownUid}/federated${new URL(callback).search}`
    expect((await other.follow(await other.fetch(swapped))).response.status).toBe(400)
    expect(await listAccounts()).toEqual([])
    // In the browser that started the sign-in it is accepted once.
    const { address } = await session.follow(await session.fetch(callback))
    expect(new URL(address).searchParams.has('code')).toBe(true)
    expect((await session.follow(await session.fetch(callback))).response.status).toBe(400)
  })

  it.each<[string, Faults]>([
    ['a forged signature', { signing: 'forged' }],
    ['another nonce', { idToken: { nonce: 'another' } }],
    ['another audience', { idToken: { aud: 'another-client' } }],
    ['another issuer in the address', { responseIssuer: 'https://evil.example' }],
    ['a refusal', { refuse: 'access_denied' }],
  ])('shows a page with a link to the sign-in page after %s', async (_name, faults) => {
    google.faults = faults
    const session = new SignInSession(server.baseUrl)
    const { callback } = await consentAtGoogle(session)
    const { response } = await session.follow(await session.fetch(callback))
    expect(response.status).toBe(400)
    const link = /class="button" href="([^"]+)"/.exec(await response.text())?.[1] ?? ''
    expect(await (await session.fetch(link)).text()).toContain('name="password"')
    expect(await listAccounts()).toEqual([])
  })

  it('explains that Google did not respond as expected', async () => {
    google.faults = { status: { '/.well-known/openid-configuration': 500 } }
    const session = new SignInSession(server.baseUrl)
    const { response } = await session.follow(
      await session.fetch(session.authorization({ connection: 'google-oauth2' }).address),
    )
    expect(response.status).toBe(502)
    expect(await response.text()).toContain('Google did not respond as expected')
  })

  it('does not blame Google when the database fails', async () => {
    let restore: (() => void) | undefined
    google.faults = {
      // The database fails from the request to Google on.
      get status() {
        restore ??= failStatements('sqlite', Object.assign(new Error('failed'), { code: 'SQLITE_FULL' }))
        return {}
      },
    }
    const session = new SignInSession(server.baseUrl)
    const { response } = await session
      .follow(await session.fetch(session.authorization({ connection: 'google-oauth2' }).address))
      .finally(() => restore?.())
    expect(response.status).toBe(507)
    const page = await response.text()
    expect(page).toContain('no disk space left')
    expect(page).not.toContain('Google')
  })

  it('accepts only listed users on a closed installation', async () => {
    const closed = await open({ SIGN_UP: 'closed', ALLOWED_EMAILS: 'grace@example.com' })
    const session = new SignInSession(closed.baseUrl)
    google.user = { ...grace, sub: 'g-2', email: 'eve@example.com' }
    const { callback } = await consentAtGoogle(session)
    const refused = await session.follow(await session.fetch(callback))
    expect(refused.response.status).toBe(403)
    expect(await listAccounts()).toEqual([])
    google.user = grace
    const tokens = await signInWithGoogle(new SignInSession(closed.baseUrl))
    expect((await closed.readUser(tokens.access_token)).status).toBe(200)
    await closed.close()
  })

  it('lets an account sign in whose e-mail is no longer listed', async () => {
    const first = await signInWithGoogle(new SignInSession(server.baseUrl))
    const closed = await open({ SIGN_UP: 'closed', ALLOWED_EMAILS: 'eve@example.com' })
    const second = await signInWithGoogle(new SignInSession(closed.baseUrl))
    expect((await closed.readUser(second.access_token)).status).toBe(200)
    expect(decodeJwt(second.access_token).sub).toBe(decodeJwt(first.access_token).sub)
    expect(await listAccounts()).toHaveLength(1)
    await closed.close()
  })

  it('compares the listed e-mails as the local sign-up does', async () => {
    const closed = await open({ SIGN_UP: 'closed', ALLOWED_EMAILS: 'Grace@Example.com' })
    google.user = { ...grace, email: ' GRACE@example.com ' }
    const tokens = await signInWithGoogle(new SignInSession(closed.baseUrl))
    expect((await closed.readUser(tokens.access_token)).status).toBe(200)
    await closed.close()
  })

  it('refuses an account whose data is still being deleted, and makes a new user afterwards', async () => {
    const { db } = database
    const deps = { ...readIssuer(server.config), database, sealer: createSealer(testSecret), now: Date.now }
    const first = await signInWithGoogle(new SignInSession(server.baseUrl))
    expect((await server.readUser(first.access_token)).status).toBe(200)
    const { id } = await db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    await deleteUser(deps, grace.email)

    const session = new SignInSession(server.baseUrl)
    const { callback } = await consentAtGoogle(session)
    const { response } = await session.follow(await session.fetch(callback))
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('This account is being deleted.')
    expect(await listAccounts()).toEqual([])

    await processPendingUsers({
      database,
      embedded: true,
      revokeTokens: async () => undefined,
      deleteData: async () => undefined,
      onError: () => undefined,
    })
    const second = await signInWithGoogle(new SignInSession(server.baseUrl))
    expect((await server.readUser(second.access_token)).status).toBe(200)
    const users = await db.selectFrom('users').select('id').execute()
    expect(users).toHaveLength(1)
    expect(users[0]?.id).not.toBe(id)
  })

  it('makes the set-up link invalid with the first account', async () => {
    await server.close()
    server = await open({ SIGN_UP: 'closed', ALLOWED_EMAILS: grace.email })
    const setUpUrl = server.identity.setUpUrl ?? ''
    expect((await fetch(setUpUrl)).status).toBe(200)
    await consentAtGoogle(new SignInSession(server.baseUrl))
    expect((await fetch(setUpUrl)).status).toBe(200)
    const session = new SignInSession(server.baseUrl)
    const { callback } = await consentAtGoogle(session)
    await session.follow(await session.fetch(callback))
    expect((await fetch(setUpUrl)).status).toBe(403)
  })

  it('is offered on the page of the local sign-in', async () => {
    const { text, path } = await new SignInSession(server.baseUrl).openForm()
    expect(text).toContain(`href="${path}/google"`)
    expect(text).not.toContain('not set up')
  })
})

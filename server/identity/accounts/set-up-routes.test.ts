import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openIdentityServer } from '../../testing/identity/identity-server.ts'
import type { IdentityServer } from '../../testing/identity/identity-server.ts'
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'
import { engines, isConcurrent, openTestDatabase } from '../../testing/database/test-database.ts'
import type { TestDatabase } from '../../testing/database/test-database.ts'
import { seedDemoShare } from '../../shares/seed-demo-share.ts'
import { createUpsertUser } from '../users/upsert-user.ts'
import { upsertFederatedAccount } from './account-store.ts'

describe.each(engines)('the set-up link on %s', (engine) => {
  let database: TestDatabase
  let server: IdentityServer
  let session: SignInSession

  beforeEach(async () => {
    database = await openTestDatabase(engine)
    server = await openIdentityServer({ database, environment: { SIGN_UP: 'closed' } })
    session = new SignInSession(server.baseUrl)
  })
  afterEach(async () => {
    await server.close()
    await database.close()
  })

  const countAccounts = async () => (await database.db.selectFrom('accounts').select('id').execute()).length
  async function openLink(): Promise<{ readonly address: string; readonly form: string }> {
    const address = server.identity.setUpUrl ?? ''
    const text = await (await session.fetch(address)).text()
    return { address, form: /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '' }
  }

  /** The link creates nothing, and the next start prints none. */
  async function expectInvalid(address: string, form: string): Promise<void> {
    const before = await countAccounts()
    expect((await session.fetch(address)).status).toBe(403)
    const response = await session.post(address, { ...testAccount, email: 'eve@example.com', form })
    expect(response.status).toBe(403)
    expect(await countAccounts()).toBe(before)
    const { port } = server
    await server.close()
    server = await openIdentityServer({ database, port, environment: { SIGN_UP: 'closed' } })
    expect(server.identity.setUpUrl).toBeNull()
    expect(
      await database.db.selectFrom('keys').select('name').where('name', '=', 'set-up').execute(),
    ).toEqual([])
  }

  it('creates the first account, and is not valid after that (§15.4)', async () => {
    const { address, form } = await openLink()
    expect((await session.post(address, { ...testAccount, form })).status).toBe(200)
    expect(await countAccounts()).toBe(1)
    const again = await session.post(address, { ...testAccount, email: 'eve@example.com', form })
    expect(again.status).toBe(403)
    expect(await countAccounts()).toBe(1)
    expect((await session.signIn()).code).not.toBe('')

    const { port } = server
    await server.close()
    server = await openIdentityServer({ database, port, environment: { SIGN_UP: 'closed' } })
    expect(server.identity.setUpUrl).toBeNull()
  })

  it.runIf(isConcurrent(engine))('creates one account in two concurrent attempts', async () => {
    const { address, form } = await openLink()
    const emails = ['ada@example.com', 'eve@example.com']
    const statuses = await Promise.all(
      emails.map(async (email) => (await session.post(address, { ...testAccount, email, form })).status),
    )
    expect(statuses.sort()).not.toEqual([200, 200])
    expect(await countAccounts()).toBe(1)
  })

  it('is not valid after a listed user has signed up (§15.4)', async () => {
    await server.close()
    const environment = { SIGN_UP: 'closed', ALLOWED_EMAILS: testAccount.email }
    server = await openIdentityServer({ database, environment })
    session = new SignInSession(server.baseUrl)
    const { address, form } = await openLink()
    await session.signUp()
    await expectInvalid(address, form)
  })

  it('is not valid after a user of a hosted provider was stored (§15.4)', async () => {
    const { address, form } = await openLink()
    const upsertUser = createUpsertUser({ db: database.db, now: Date.now, onNewUser: async () => undefined })
    await upsertUser('https://login.example/', 'ada', { name: 'Ada' })
    await expectInvalid(address, form)
  })

  it('is not valid when the account was stored by a former version (§15.4)', async () => {
    const { address, form } = await openLink()
    const account = { id: 'google-oauth2|1', name: null, email: null, picture: null, created_at: 1 }
    await upsertFederatedAccount(database.db, account)
    await expectInvalid(address, form)
  })

  it('is created although the demo chat has an owner (§15.4, §20.9)', async () => {
    const { port } = server
    await server.close()
    await seedDemoShare(database, Date.now())
    server = await openIdentityServer({ database, port, environment: { SIGN_UP: 'closed' } })
    expect(server.identity.setUpUrl).not.toBeNull()
  })

  it('stays valid after an error in the form, and after a restart', async () => {
    const { address, form } = await openLink()
    const wrong = await session.post(address, { ...testAccount, password: 'short', form })
    expect(wrong.status).toBe(422)
    const { port } = server
    await server.close()
    server = await openIdentityServer({ database, port, environment: { SIGN_UP: 'closed' } })
    expect(server.identity.setUpUrl).toBe(address)
    expect((await session.post(address, { ...testAccount, form })).status).toBe(200)
  })

  it('creates no account with another token, or without the hidden token of its form', async () => {
    const { address } = await openLink()
    const guessed = address.replace(/token=.*/, 'token=guessed')
    expect((await session.fetch(guessed)).status).toBe(403)
    expect((await session.post(guessed, { ...testAccount })).status).toBe(403)
    expect((await session.post(address, { ...testAccount })).status).toBe(403)
    expect(await countAccounts()).toBe(0)
  })

  it('is announced to visitors until there is an account, but never shown to them (§34.20, §34.21)', async () => {
    const token = new URL(server.identity.setUpUrl ?? '').searchParams.get('token') ?? ''
    expect(token.length).toBeGreaterThan(20)
    const shown = async () => {
      const settings = await (await session.fetch(`${server.baseUrl}/api/settings`)).text()
      const { text } = await session.openForm()
      expect(settings + text).not.toContain(token)
      const { needsSetUp } = JSON.parse(settings) as { needsSetUp?: boolean }
      return [needsSetUp, text.includes('The set-up link in the log of the server')]
    }
    expect(await shown()).toEqual([true, true])
    const { address, form } = await openLink()
    expect((await session.post(address, { ...testAccount, form })).status).toBe(200)
    expect(await shown()).toEqual([undefined, false])
  })

  it('is not announced when sign-up is open (§34.20, §34.21)', async () => {
    const open = await openIdentityServer({ database })
    expect(await open.identity.needsSetUp()).toBe(false)
    await open.close()
  })

  it('is not created when sign-up is open', async () => {
    const open = await openIdentityServer({ database })
    expect(open.identity.setUpUrl).toBeNull()
    await open.close()
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { seedDemoShare } from '../../shares/seed-demo-share.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
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
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'
import { inviteUser, readIssuer } from '../users/manage-users.ts'
import { createUpsertUser } from '../users/upsert-user.ts'
import { upsertFederatedAccount } from './account-store.ts'
import { consumeLink, invitations } from './operator-links.ts'

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

  it('creates the first account, and is not valid after that', async () => {
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

  it('is not valid after a listed user has signed up', async () => {
    await server.close()
    const environment = { SIGN_UP: 'closed', ALLOWED_EMAILS: testAccount.email }
    server = await openIdentityServer({ database, environment })
    session = new SignInSession(server.baseUrl)
    const { address, form } = await openLink()
    await session.signUp()
    await expectInvalid(address, form)
  })

  it('is not valid after a user of a hosted provider was stored', async () => {
    const { address, form } = await openLink()
    const upsertUser = createUpsertUser({ db: database.db, now: Date.now, onNewUser: async () => undefined })
    await upsertUser('https://login.example/', 'ada', { name: 'Ada' })
    await expectInvalid(address, form)
  })

  it('is not valid when there is an account without an e-mail', async () => {
    const { address, form } = await openLink()
    const account = { id: 'google-oauth2|1', name: null, email: null, picture: null, created_at: 1 }
    await upsertFederatedAccount(database.db, account)
    await expectInvalid(address, form)
  })

  it('is created although the demo chat has an owner', async () => {
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

  it('is announced to visitors until there is an account, but never shown to them', async () => {
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

  it('is not announced when sign-up is open', async () => {
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

const { email, password } = testAccount
const dayMs = 86_400_000

describe.each(engines)('an invitation on %s', (engine) => {
  const clock = { offset: 0 }
  let database: TestDatabase
  let server: IdentityServer
  let browser: SignInSession

  beforeEach(async () => {
    clock.offset = 0
    database = await openTestDatabase(engine)
    server = await openIdentityServer({ database, clock, environment: { SIGN_UP: 'closed' } })
    browser = new SignInSession(server.baseUrl)
  })
  afterEach(async () => {
    await server.close()
    await database.close()
  })

  const invite = async (address = email) =>
    (
      await inviteUser(
        {
          ...readIssuer(server.config),
          database,
          sealer: createSealer(testSecret),
          now: () => Date.now() + clock.offset,
        },
        address,
      )
    ).link.url
  const listEmails = async () =>
    (await database.db.selectFrom('accounts').select('email').execute()).map((row) => row.email)
  async function open(link: string) {
    const response = await browser.fetch(link)
    const text = await response.text()
    return { status: response.status, text, form: /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '' }
  }

  it('creates an account with the invited e-mail, once, although sign-up is closed', async () => {
    const link = await invite()
    const { text, form } = await open(link)
    expect(text).toMatch(/id="email"[^>]*value="ada@example.com"[^>]*readonly/)
    const fields = { name: 'Ada', password, form }
    expect((await browser.post(link, { ...fields, password: 'short' })).status).toBe(422)
    expect(await listEmails()).toEqual([])
    // The e-mail of the form does not count.
    expect((await browser.post(link, { ...fields, email: 'eve@example.com' })).status).toBe(200)
    expect(await listEmails()).toEqual([email])
    expect((await browser.signIn()).code).not.toBe('')
    expect((await open(link)).status).toBe(403)
    expect((await browser.post(link, fields)).status).toBe(403)
    expect(await listEmails()).toEqual([email])
  })

  it('can be used only once, even if no other check refuses the second use', async () => {
    const token = new URL(await invite()).searchParams.get('token') ?? ''
    const use = () =>
      database.db.transaction().execute((trx) => consumeLink(trx, invitations, token, Date.now()))
    expect([await use(), await use()]).toEqual([true, false])
  })

  it('is not stored in a form in which it could be used', async () => {
    const links = [await invite(), server.identity.setUpUrl ?? '']
    const stored = JSON.stringify([
      await database.db.selectFrom('oidc').selectAll().execute(),
      await database.db.selectFrom('keys').selectAll().execute(),
    ])
    for (const link of links) {
      const token = new URL(link).searchParams.get('token') ?? ''
      expect(token).toHaveLength(43)
      expect(stored).not.toContain(token)
    }
  })

  it('ends the set-up link, which would create another first account', async () => {
    const setUp = server.identity.setUpUrl ?? ''
    expect((await open(setUp)).status).toBe(200)
    const link = await invite()
    const { form } = await open(link)
    expect((await browser.post(link, { name: 'Ada', password, form })).status).toBe(200)
    expect((await open(setUp)).status).toBe(403)
    // Its token is gone, so a request that was checked before the account existed fails as well.
    const tokens = database.db.selectFrom('keys').select('name').where('name', '=', 'set-up')
    expect(await tokens.execute()).toEqual([])
  })

  it('is replaced by the next one of the same e-mail, and expires after a week', async () => {
    const first = await invite()
    const other = await invite('eve@example.com')
    const second = await invite('ADA@example.com')
    const { form } = await open(second)
    const before = await hashTables(database)
    expect((await open(first)).status).toBe(403)
    expect((await open(other)).status).toBe(200)
    expect((await open(`${second}x`)).status).toBe(403)
    expect((await open('/oidc/invitation')).status).toBe(403)
    expect((await browser.post(second, { name: 'Ada', password })).status).toBe(403)
    clock.offset = 7 * dayMs - 60_000
    expect((await open(second)).status).toBe(200)
    clock.offset = 7 * dayMs
    expect((await open(second)).status).toBe(403)
    expect((await browser.post(second, { name: 'Ada', password, form })).status).toBe(403)
    expect(await hashTables(database)).toEqual(before)
  })

  it('creates nothing when the e-mail has got an account meanwhile', async () => {
    const link = await invite()
    const { form } = await open(link)
    await server.close()
    server = await openIdentityServer({ database, clock, port: server.port })
    await new SignInSession(server.baseUrl).signUp()
    const before = await hashTables(database)
    const response = await browser.post(link, { name: 'Eve', password: 'another password', form })
    expect(response.status).toBe(422)
    expect(await response.text()).toContain('already exists')
    expect(await hashTables(database)).toEqual(before)
  })

  it.runIf(isConcurrent(engine))('creates one account in two concurrent attempts', async () => {
    const link = await invite()
    const { form } = await open(link)
    const statuses = await Promise.all(
      ['Ada', 'Eve'].map(async (name) => (await browser.post(link, { name, password, form })).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(await listEmails()).toEqual([email])
  })
})

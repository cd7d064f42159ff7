import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { openIdentityServer, type IdentityServer } from '../../testing/identity/identity-server.ts'
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'

describe.each(engines)('the page for a new account on %s', (engine) => {
  let database: TestDatabase
  const servers: IdentityServer[] = []

  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()))
    await database.db.deleteFrom('accounts').execute()
  })
  afterAll(() => database.close())

  async function openPage(environment: Readonly<Record<string, string>> = {}) {
    const server = await openIdentityServer({ database, environment })
    servers.push(server)
    const session = new SignInSession(server.baseUrl)
    const form = await session.openForm({}, '/new-account')
    return { session, ...form }
  }
  const listAccounts = () => database.db.selectFrom('accounts').selectAll().execute()

  it('stores the account with a hash in place of the password', async () => {
    const { session, path, form } = await openPage()
    const response = await session.post(path, { ...testAccount, email: ' Ada@Example.COM', form })
    expect(response.status).toBe(303)
    const [account] = await listAccounts()
    expect(account).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.com' })
    expect(account?.password_hash).toMatch(/^scrypt\$\d+\$/)
  })

  it.each([
    ['no name', { name: '  ' }, 'Enter your name.'],
    ['no e-mail', { email: '' }, 'Enter a valid e-mail address.'],
    ['two e-mails', { email: 'a@x.example,b@y.example' }, 'Enter a valid e-mail address.'],
    ['a short password', { password: 'seven77' }, 'The password needs at least 8 characters.'],
    [
      'a password of 1,001 characters',
      { password: 'x'.repeat(1_001) },
      'The password may have at most 1,000 characters.',
    ],
  ])('refuses %s, and keeps the entered name', async (_name, changes, message) => {
    const { session, path, form } = await openPage()
    const response = await session.post(path, { ...testAccount, ...changes, form })
    expect(response.status).toBe(422)
    const text = await response.text()
    expect(text).toContain(message)
    expect(text).not.toContain(testAccount.password)
    if (!('name' in changes)) expect(text).toContain('value="Ada Lovelace"')
    expect(await listAccounts()).toEqual([])
  })

  it('refuses an e-mail that already has an account, also in capitals', async () => {
    const first = await openPage()
    await first.session.post(first.path, { ...testAccount, form: first.form })
    const second = await openPage()
    const response = await second.session.post(second.path, {
      ...testAccount,
      email: 'ADA@example.com ',
      password: 'another password',
      form: second.form,
    })
    expect(response.status).toBe(422)
    expect(await listAccounts()).toHaveLength(1)
  })

  it('refuses a form without its hidden token', async () => {
    const { session, path } = await openPage()
    expect((await session.post(path, testAccount)).status).toBe(403)
    expect(await listAccounts()).toEqual([])
  })

  it('creates no account on a closed installation', async () => {
    const { session, path, form, text } = await openPage({ SIGN_UP: 'closed' })
    expect(text).toContain('Sign-up is closed')
    const signIn = await session.openForm()
    expect(signIn.text).not.toContain('Create an account')
    const response = await session.post(path, { ...testAccount, form: form || signIn.form })
    expect(response.status).toBe(403)
    expect(await listAccounts()).toEqual([])
  })

  it('accepts only the users that the operator listed', async () => {
    const environment = { SIGN_UP: 'closed', ALLOWED_EMAILS: 'Ada@example.com, bob@example.com' }
    const { session, path, form } = await openPage(environment)
    const refused = await session.post(path, { ...testAccount, email: 'eve@example.com', form })
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain('No account can be created with this e-mail address.')
    expect(await listAccounts()).toEqual([])
    expect((await session.post(path, { ...testAccount, form })).status).toBe(303)
    expect(await listAccounts()).toHaveLength(1)
  })

  it('has the same response for a known e-mail and one that is not listed, when it is closed', async () => {
    const environment = { SIGN_UP: 'closed', ALLOWED_EMAILS: testAccount.email }
    const first = await openPage(environment)
    await first.session.post(first.path, { ...testAccount, form: first.form })
    const before = await listAccounts()
    const { session, path, form } = await openPage(environment)
    const responseTo = async (email: string) => {
      const response = await session.post(path, { ...testAccount, email, form })
      return [response.status, (await response.text()).replaceAll(email, '')]
    }
    const unlisted = await responseTo('eve@example.com')
    expect(unlisted[0]).toBe(422)
    expect(await responseTo(testAccount.email)).toEqual(unlisted)
    expect(await listAccounts()).toEqual(before)
  })
})

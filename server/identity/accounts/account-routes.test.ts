import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { openIdentityServer, type IdentityServer } from '../../testing/identity/identity-server.ts'
import { SignInSession, type Tokens } from '../../testing/identity/sign-in-session.ts'

const password = 'correct horse'
const newPassword = 'battery staple'
const page = '/oidc/account'

describe.each(engines)('account and security on %s', (engine) => {
  let database: TestDatabase
  let server: IdentityServer
  const ended: string[] = []
  let created = 0

  const open = async (port?: number) => {
    server = await openIdentityServer({ database, ...(port === undefined ? {} : { port }) })
    server.identity.sessions?.onEnd(({ sessionId }) => ended.push(sessionId))
  }
  beforeAll(async () => {
    database = await openTestDatabase(engine)
    await open()
  })
  afterAll(async () => {
    await server.close()
    await database.close()
  })

  /** A browser in which a new account is signed in. */
  async function join() {
    created += 1
    const user = { name: 'Ada', email: `user${created}@example.com`, password }
    const browser = new SignInSession(server.baseUrl)
    return { user, browser, tokens: await browser.join(user) }
  }

  /** Another browser in which the account is signed in. */
  async function signIn(user: { readonly email: string; readonly password: string }) {
    const browser = new SignInSession(server.baseUrl)
    const tokens = (await (await browser.redeem(await browser.signIn(user))).json()) as Tokens
    return { browser, tokens }
  }

  async function readPage(browser: SignInSession) {
    const response = await browser.fetch(page)
    const text = await response.text()
    const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const signIns = [...text.matchAll(/name="sign-in" value="([^"]+)"/g)].map(([, id = '']) => id)
    return { status: response.status, text, form, signIns }
  }

  const statusOf = async ({ access_token }: Tokens) => (await server.readUser(access_token)).status
  const refreshStatus = async (browser: SignInSession, { refresh_token }: Tokens) =>
    (await browser.refresh(refresh_token)).status
  /** Whether the provider signs this browser in without a password. */
  const hasSession = async (browser: SignInSession) =>
    new URL((await browser.openForm()).address).searchParams.has('code')

  it('changes the password, ends the other sign-ins and keeps this one', async () => {
    const { user, browser, tokens } = await join()
    const other = await signIn(user)
    const { form } = await readPage(browser)
    const before = ended.length
    const response = await browser.post(`${page}/password`, {
      form,
      current: password,
      password: newPassword,
    })
    expect(response.status).toBe(303)
    const { text } = await readPage(browser)
    expect(await (await browser.fetch(response.headers.get('location') ?? '')).text()).toContain(
      'Your password is changed. Every other browser is signed out.',
    )
    expect(text.match(/<li>/g)).toHaveLength(1)
    expect(ended.length - before).toBe(1)

    expect(await statusOf(other.tokens)).toBe(401)
    expect(await refreshStatus(other.browser, other.tokens)).toBe(400)
    expect(await hasSession(other.browser)).toBe(false)
    expect((await readPage(other.browser)).status).toBe(401)
    expect(await statusOf(tokens)).toBe(200)
    expect(await refreshStatus(browser, tokens)).toBe(200)
    expect(await hasSession(browser)).toBe(true)

    await expect(signIn(user)).rejects.toThrow('E-mail or password is wrong')
    const again = await signIn({ ...user, password: newPassword })
    expect(await statusOf(again.tokens)).toBe(200)
  })

  it.each(['constructor', '__proto__', 'toString', 'unknown'])(
    'shows no notice for the name %j in its address',
    async (name) => {
      const { browser } = await join()
      const response = await browser.fetch(`${page}?done=${name}`)
      expect(response.status).toBe(200)
      expect(await response.text()).not.toContain('role="status"')
    },
  )

  describe('a refused change', () => {
    let refused: Awaited<ReturnType<typeof join>>
    beforeAll(async () => {
      refused = await join()
    })

    it.each([
      ['a wrong current password', { current: 'wrong horse', password: newPassword }, 401],
      ['a short new password', { current: password, password: 'short' }, 422],
      ['the same password', { current: password, password }, 422],
      ['a form without its hidden token', { current: password, password: newPassword, form: '' }, 403],
    ])('changes nothing for %s', async (_name, fields, status) => {
      const { form } = await readPage(refused.browser)
      const before = await hashTables(database)
      const response = await refused.browser.post(`${page}/password`, { form, ...fields })
      expect(response.status).toBe(status)
      expect(await hashTables(database)).toEqual(before)
    })
  })

  it('names a failure without calling it a failed sign-in', async () => {
    const { browser } = await join()
    const response = await browser.fetch(`${page}/password`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(415)
    const text = await response.text()
    expect(text).toContain('Something went wrong')
    expect(text).not.toContain('The sign-in failed')
  })

  it('tells a user without a password where to change it, and changes nothing', async () => {
    const { browser, user } = await join()
    await database.db
      .updateTable('accounts')
      .set({ password_hash: null })
      .where('email', '=', user.email)
      .execute()
    const { form, text } = await readPage(browser)
    expect(text).toContain('You sign in with Google.')
    const before = await hashTables(database)
    const fields = { form, current: password, password: newPassword }
    const response = await browser.post(`${page}/password`, fields)
    expect(response.status).toBe(409)
    expect(await response.text()).toContain('This account has no password')
    expect(await hashTables(database)).toEqual(before)
  })

  it('refuses the forms of another sign-in, another account and a browser without one', async () => {
    const { user, browser } = await join()
    const other = await signIn(user)
    const eve = await join()
    const { form, signIns } = await readPage(browser)
    const eveForm = (await readPage(eve.browser)).form
    const before = await hashTables(database)
    const fields = { current: password, password: newPassword, 'sign-in': signIns[0] ?? '' }
    for (const path of ['/password', '/sign-out', '/sign-out-everywhere']) {
      for (const sender of [other.browser, eve.browser])
        expect((await sender.post(page + path, { ...fields, form })).status).toBe(403)
      const stranger = new SignInSession(server.baseUrl)
      expect((await stranger.post(page + path, { ...fields, form })).status).toBe(401)
    }
    // The form of Eve is valid, but the sign-in is not hers.
    expect((await eve.browser.post(`${page}/sign-out`, { ...fields, form: eveForm })).status).toBe(303)
    expect(await hashTables(database)).toEqual(before)
  })

  it('lists the sign-ins, and signs out a chosen one', async () => {
    const { user, browser, tokens } = await join()
    const other = await signIn(user)
    const { text, form, signIns } = await readPage(browser)
    expect(text.match(/<li>/g)).toHaveLength(2)
    expect(text.match(/This browser/g)).toHaveLength(1)
    expect(signIns).toHaveLength(1)
    const response = await browser.post(`${page}/sign-out`, { form, 'sign-in': signIns[0] ?? '' })
    expect(response.status).toBe(303)
    expect(await statusOf(other.tokens)).toBe(401)
    expect(await refreshStatus(other.browser, other.tokens)).toBe(400)
    expect(await hasSession(other.browser)).toBe(false)
    expect(await statusOf(tokens)).toBe(200)
    expect((await readPage(browser)).text.match(/<li>/g)).toHaveLength(1)
  })

  it('signs out everywhere', async () => {
    const { user, browser, tokens } = await join()
    const other = await signIn(user)
    const eve = await join()
    const { form } = await readPage(browser)
    const response = await browser.post(`${page}/sign-out-everywhere`, { form })
    expect(await response.text()).toContain('You are signed out everywhere')
    for (const signedOut of [{ browser, tokens }, other]) {
      expect(await statusOf(signedOut.tokens)).toBe(401)
      expect(await refreshStatus(signedOut.browser, signedOut.tokens)).toBe(400)
      expect(await hasSession(signedOut.browser)).toBe(false)
    }
    expect(await statusOf(eve.tokens)).toBe(200)
  })

  it('a sign-out in the app removes the sign-in from the list', async () => {
    const { user, browser } = await join()
    const other = await signIn(user)
    await other.browser.fetch('/oidc/token/revocation', {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'yonder', token: other.tokens.refresh_token }),
    })
    expect((await readPage(browser)).text.match(/<li>/g)).toHaveLength(1)
    expect((await readPage(other.browser)).status).toBe(401)
  })

  it('updates the last use of a sign-in with its tokens', async () => {
    const { browser, tokens } = await join()
    await database.db.updateTable('sign_ins').set({ used_at: 1 }).execute()
    await browser.refresh(tokens.refresh_token)
    const used = await database.db.selectFrom('sign_ins').select('used_at').where('used_at', '>', 1).execute()
    expect(used).toHaveLength(1)
  })
})

it('counts attempts at the current password together with those of the sign-in form', async () => {
  const database = await openTestDatabase('sqlite')
  const server = await openIdentityServer({ database, environment: { RATE_LIMIT_SIGN_IN: '2' } })
  const browser = new SignInSession(server.baseUrl)
  await browser.join()
  const form = /name="form" value="([^"]+)"/.exec(await (await browser.fetch(page)).text())?.[1] ?? ''
  const statuses: number[] = []
  for (let guess = 0; guess < 3; guess += 1) {
    const fields = { form, current: `guess ${guess}`, password: newPassword }
    statuses.push((await browser.post(`${page}/password`, fields)).status)
  }
  await server.close()
  await database.close()
  expect(statuses).toEqual([401, 401, 429])
})

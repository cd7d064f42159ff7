import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { openIdentityServer, type IdentityServer } from '../../testing/identity/identity-server.ts'
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'
import { createPasswordHasher, scryptCost } from './hash-password.ts'
import { findAccountByPassword } from './sign-in-routes.ts'

let database: TestDatabase
let server: IdentityServer

beforeAll(async () => {
  database = await openTestDatabase('sqlite')
  server = await openIdentityServer({ database })
  await new SignInSession(server.baseUrl).signUp()
})
afterAll(async () => {
  await server.close()
  await database.close()
})

const { email, password } = testAccount

async function readHash(): Promise<string | null> {
  const { password_hash } = await database.db
    .selectFrom('accounts')
    .select('password_hash')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  return password_hash
}

async function storeHash(password_hash: string | null): Promise<void> {
  await database.db.updateTable('accounts').set({ password_hash }).where('email', '=', email).execute()
}

describe('the sign-in page', () => {
  it('allows only its own script and style, and no frame', async () => {
    const session = new SignInSession(server.baseUrl)
    const { path } = await session.openForm()
    const { headers } = await session.fetch(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('redirects to the app with a code when the password is right', async () => {
    const session = new SignInSession(server.baseUrl)
    const { code } = await session.signIn({ email: '  ADA@Example.com ' })
    expect(code).not.toBe('')
  })

  it.each([
    ['a wrong password', { email, password: 'wrong horse' }],
    ['an unknown e-mail', { email: 'unknown@example.com', password }],
    ['text that is not an e-mail', { email: 'ada', password }],
    ['empty fields', { email: '', password: '' }],
    ['a password of 10,000 characters', { email, password: password + 'x'.repeat(10_000) }],
  ])('shows the same error for %s', async (_name, fields) => {
    const session = new SignInSession(server.baseUrl)
    const { path, form } = await session.openForm()
    const response = await session.post(path, { ...fields, form })
    expect(response.status).toBe(401)
    expect(await response.text()).toContain('E-mail or password is wrong. Check both and try again.')
  })

  it('escapes markup in what the user entered', async () => {
    const session = new SignInSession(server.baseUrl)
    const { path, form } = await session.openForm()
    const text = await (
      await session.post(path, { email: '"><script>alert(1)</script>', password, form })
    ).text()
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)')
  })

  it('refuses a form that was not made for this sign-in', async () => {
    const session = new SignInSession(server.baseUrl)
    const { path } = await session.openForm()
    const other = await new SignInSession(server.baseUrl).openForm()
    expect((await session.post(path, { email, password })).status).toBe(403)
    expect((await session.post(path, { email, password, form: other.form })).status).toBe(403)
  })

  it('refuses a browser that did not start the sign-in', async () => {
    const { path, form } = await new SignInSession(server.baseUrl).openForm()
    const otherBrowser = new SignInSession(server.baseUrl)
    const response = await otherBrowser.post(path, { email, password, form })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('This sign-in has expired')
  })

  it('shows an error page for a body that is not a form', async () => {
    const session = new SignInSession(server.baseUrl)
    const { path } = await session.openForm()
    const response = await session.fetch(path, { method: 'POST', body: '{}' })
    expect(response.status).toBe(415)
    expect(response.headers.get('content-type')).toContain('text/html')
  })

  it('explains that Google is not set up, and offers the local form', async () => {
    const session = new SignInSession(server.baseUrl)
    const { text } = await session.openForm({ connection: 'google-oauth2' })
    expect(text).toContain('Google sign-in is not set up on this server.')
    expect(text).toContain('name="password"')
  })

  it('is shown for a sign-in with Google although a local account is signed in', async () => {
    const session = new SignInSession(server.baseUrl)
    await session.signIn()
    const withoutForm = await session.openForm()
    expect(new URL(withoutForm.address).searchParams.has('code')).toBe(true)
    const { text } = await session.openForm({ connection: 'google-oauth2' })
    expect(text).toContain('name="password"')
    const { code } = await session.signIn({}, { connection: 'google-oauth2' })
    expect(code).not.toBe('')
  })

  it.each([
    ['an unknown e-mail', 'unknown@example.com'],
    ['text that is not an e-mail', 'unknown'],
  ])('computes the same hash for %s as for a wrong password', async (_name, unknown) => {
    const listComputations = async (attempt: string) => {
      const computations: object[] = []
      const passwords = createPasswordHasher(scryptCost, async (text, salt, parameters) => {
        computations.push({ text, saltBytes: salt.length, ...parameters })
        return Buffer.alloc(32)
      })
      await findAccountByPassword({ database, passwords }, { email: attempt, password: 'wrong horse' })
      return computations
    }
    const hash = await readHash()
    await storeHash(await createPasswordHasher(scryptCost, async () => Buffer.alloc(32)).hash(password))
    const known = await listComputations(email)
    await storeHash(hash)
    expect(known).toEqual([{ text: 'wrong horse', saltBytes: 16, cost: 131_072, rounds: 1 }])
    expect(await listComputations(unknown)).toEqual(known)
  })

  it('replaces a hash of a lower cost at the next sign-in', async () => {
    await storeHash(await createPasswordHasher(2 ** 5).hash(password))
    const passwords = createPasswordHasher(2 ** 7)
    const attempt = (text: string) =>
      findAccountByPassword({ database, passwords }, { email, password: text })
    expect(await attempt('wrong horse')).toBeUndefined()
    expect(await readHash()).toMatch(/^scrypt\$32\$/)
    expect(await attempt(password)).toBeDefined()
    const replaced = await readHash()
    expect(replaced).toMatch(/^scrypt\$128\$/)
    expect(await attempt(password)).toBeDefined()
    expect(await readHash()).toBe(replaced)
  })

  it('counts the attempts of all forms together', async () => {
    const limited = await openIdentityServer({ database, environment: { RATE_LIMIT_SIGN_IN: '2' } })
    const session = new SignInSession(limited.baseUrl)
    const { path, form } = await session.openForm()
    const statuses = [
      (await session.post(path, { email, password: 'guess', form })).status,
      (await session.post(`${path}/new-account`, { ...testAccount, form })).status,
      (await session.post(path, { email, password, form })).status,
      (await session.post(`${path}/new-account`, { ...testAccount, form })).status,
    ]
    await limited.close()
    expect(statuses).toEqual([401, 422, 429, 429])
  })

  it('refuses further attempts of one IP address after too many', async () => {
    const limited = await openIdentityServer({ database, environment: { RATE_LIMIT_SIGN_IN: '3' } })
    const session = new SignInSession(limited.baseUrl)
    const { path, form } = await session.openForm()
    const statuses: number[] = []
    for (let guess = 0; guess < 4; guess += 1) {
      statuses.push((await session.post(path, { email, password: `guess ${guess}`, form })).status)
    }
    const right = await session.post(path, { email, password, form })
    await limited.close()
    expect(statuses).toEqual([401, 401, 401, 429])
    expect(right.status).toBe(429)
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await right.text()).toContain('Too many attempts')
  })
})

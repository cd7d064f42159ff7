import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openIdentityServer } from '../../testing/identity/identity-server.ts'
import type { IdentityServer } from '../../testing/identity/identity-server.ts'
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'
import { openTestDatabase } from '../../testing/database/test-database.ts'
import type { TestDatabase } from '../../testing/database/test-database.ts'

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
    ['no e-mail', { email: 'ada', password }],
    ['nothing', { email: '', password: '' }],
    ['a megabyte of password', { email, password: password + 'x'.repeat(10_000) }],
  ])('says the same to %s', async (_name, fields) => {
    const session = new SignInSession(server.baseUrl)
    const { path, form } = await session.openForm()
    const response = await session.post(path, { ...fields, form })
    expect(response.status).toBe(401)
    expect(await response.text()).toContain('E-mail or password is wrong. Check both and try again.')
  })

  it('shows entered text as text, never as markup', async () => {
    const session = new SignInSession(server.baseUrl)
    const { path, form } = await session.openForm()
    const text = await (
      await session.post(path, { email: '"><script>alert(1)</script>', password, form })
    ).text()
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)')
  })

  it('refuses a form of another site', async () => {
    const session = new SignInSession(server.baseUrl)
    const { path } = await session.openForm()
    const other = await new SignInSession(server.baseUrl).openForm()
    expect((await session.post(path, { email, password })).status).toBe(403)
    expect((await session.post(path, { email, password, form: other.form })).status).toBe(403)
  })

  it('refuses a browser that did not start the sign-in', async () => {
    const { path, form } = await new SignInSession(server.baseUrl).openForm()
    const stranger = new SignInSession(server.baseUrl)
    const response = await stranger.post(path, { email, password, form })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('This sign-in has expired')
  })

  it('responds to a body that is not a form with a page', async () => {
    const session = new SignInSession(server.baseUrl)
    const { path } = await session.openForm()
    const response = await session.fetch(path, { method: 'POST', body: '{}' })
    expect(response.status).toBe(415)
    expect(response.headers.get('content-type')).toContain('text/html')
  })

  it('explains that Google is not set up, and offers the local form (§15.2)', async () => {
    const session = new SignInSession(server.baseUrl)
    const { text } = await session.openForm({ connection: 'google-oauth2' })
    expect(text).toContain('Sign in with Google is not set up here.')
    expect(text).toContain('name="password"')
  })

  it('is shown again for Google while a local account is signed in', async () => {
    const session = new SignInSession(server.baseUrl)
    await session.signIn()
    const silent = await session.openForm()
    expect(new URL(silent.address).searchParams.has('code')).toBe(true)
    const { text } = await session.openForm({ connection: 'google-oauth2' })
    expect(text).toContain('name="password"')
    const { code } = await session.signIn({}, { connection: 'google-oauth2' })
    expect(code).not.toBe('')
  })

  it('takes about as long for an unknown user as for a known one (§15.6)', async () => {
    const timeOf = async (fields: { email: string; password: string }) => {
      const session = new SignInSession(server.baseUrl)
      const { path, form } = await session.openForm()
      const started = performance.now()
      await session.post(path, { ...fields, form })
      return performance.now() - started
    }
    const known: number[] = []
    const unknown: number[] = []
    // The fastest of each is the least disturbed by whatever else the machine does; on a busy one it takes longer to meet it.
    const ratio = () => Math.min(...known) / Math.min(...unknown)
    for (let round = 0; round < 20 && (round < 5 || ratio() <= 0.6 || ratio() >= 1.6); round += 1) {
      known.push(await timeOf({ email, password: 'wrong horse' }))
      unknown.push(await timeOf({ email: 'unknown@example.com', password: 'wrong horse' }))
    }
    expect(ratio()).toBeGreaterThan(0.6)
    expect(ratio()).toBeLessThan(1.6)
  })

  it('counts the attempts of one address, and then requires a wait (§15.6)', async () => {
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
    expect(await right.text()).toContain('Too many attempts')
  })
})

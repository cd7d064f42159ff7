import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines, isConcurrent, openTestDatabase } from '../../testing/database/test-database.ts'
import type { TestDatabase } from '../../testing/database/test-database.ts'
import { openIdentityServer, testSecret } from '../../testing/identity/identity-server.ts'
import type { IdentityServer } from '../../testing/identity/identity-server.ts'
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'
import { inviteUser, readIssuer } from '../users/manage-users.ts'

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

  it('creates an account with the invited e-mail, once, although sign-up is closed (§30.8)', async () => {
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

  it('ends the set-up link, which would create another first account (§15.4, §30.8)', async () => {
    const setUp = server.identity.setUpUrl ?? ''
    expect((await open(setUp)).status).toBe(200)
    const link = await invite()
    const { form } = await open(link)
    expect((await browser.post(link, { name: 'Ada', password, form })).status).toBe(200)
    expect((await open(setUp)).status).toBe(403)
  })

  it('is replaced by the next one of the same e-mail, and expires after a week (§30.9)', async () => {
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

  it('creates nothing when the e-mail has got an account meanwhile (§30.9)', async () => {
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

  it.runIf(isConcurrent(engine))('creates one account in two concurrent attempts (§30.8)', async () => {
    const link = await invite()
    const { form } = await open(link)
    const statuses = await Promise.all(
      ['Ada', 'Eve'].map(async (name) => (await browser.post(link, { name, password, form })).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(await listEmails()).toEqual([email])
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import type { TestDatabase } from '../../testing/database/test-database.ts'
import { openIdentityServer, testSecret } from '../../testing/identity/identity-server.ts'
import type { IdentityServer } from '../../testing/identity/identity-server.ts'
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'
import type { Tokens } from '../../testing/identity/sign-in-session.ts'
import { runUserCommand } from '../users/user-command.ts'

const { email } = testAccount
const newPassword = 'battery staple'

describe.each(engines)('a reset link on %s', (engine) => {
  let database: TestDatabase
  let server: IdentityServer
  let browser: SignInSession
  let tokens: Tokens
  const clock = { offset: 0 }

  beforeEach(async () => {
    clock.offset = 0
    database = await openTestDatabase(engine)
    server = await openIdentityServer({ database, clock })
    browser = new SignInSession(server.baseUrl)
    tokens = await browser.join()
    // The first request stores the user.
    expect(await readStatus()).toBe(200)
  })
  afterEach(async () => {
    await server.close()
    await database.close()
  })

  const run = (...words: string[]) =>
    runUserCommand(
      {
        config: server.config,
        database,
        sealer: createSealer(testSecret),
        now: () => Date.now() + clock.offset,
      },
      words,
      { yes: false },
    )
  const readStatus = async () => (await server.readUser(tokens.access_token)).status
  const readLink = (output: string) => /\/oidc\/reset-password\?token=\S+/.exec(output)?.[0] ?? ''
  async function openLink(link: string, visitor = new SignInSession(server.baseUrl)) {
    const response = await visitor.fetch(link)
    const text = await response.text()
    return { status: response.status, form: /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '', visitor }
  }
  const signInStatus = async (password: string) => {
    const other = new SignInSession(server.baseUrl)
    const { path, form } = await other.openForm()
    const response = await other.post(path, { email, password, form })
    return response.status
  }

  it('sets a new password once, and signs out everywhere (§15.33)', async () => {
    const link = readLink(await run('reset', email.toUpperCase()))
    expect(await readStatus()).toBe(200)
    const { form, visitor } = await openLink(link)
    const short = await visitor.post(link, { form, password: 'short' })
    expect(short.status).toBe(422)
    expect((await visitor.post(link, { password: newPassword })).status).toBe(403)
    expect((await visitor.post(link, { form, password: newPassword })).status).toBe(200)
    expect(await readStatus()).toBe(401)
    expect((await browser.refresh(tokens.refresh_token)).status).toBe(400)
    expect((await openLink(link)).status).toBe(403)
    expect((await visitor.post(link, { form, password: 'another password' })).status).toBe(403)
    expect(await signInStatus(testAccount.password)).toBe(401)
    expect(await signInStatus(newPassword)).toBe(303)
  })

  it('is replaced by the next one, and expires after a day (§15.33)', async () => {
    const first = readLink(await run('reset', email))
    const second = readLink(await run('reset', email))
    const { form } = await openLink(second)
    const before = await hashTables(database)
    expect((await openLink(first)).status).toBe(403)
    expect((await openLink(`${second}x`)).status).toBe(403)
    expect((await openLink('/oidc/reset-password')).status).toBe(403)
    clock.offset = 24 * 3_600_000
    expect((await openLink(second)).status).toBe(403)
    expect((await browser.post(second, { form, password: newPassword })).status).toBe(403)
    expect(await hashTables(database)).toEqual(before)
  })
})

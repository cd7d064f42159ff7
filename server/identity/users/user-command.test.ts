import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines, openTestDatabase } from '../../testing/database/test-database.ts'
import type { TestDatabase } from '../../testing/database/test-database.ts'
import { openIdentityServer, testSecret } from '../../testing/identity/identity-server.ts'
import type { IdentityServer } from '../../testing/identity/identity-server.ts'
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'
import type { Tokens } from '../../testing/identity/sign-in-session.ts'
import { endPendingUsers } from './user-maintenance.ts'
import { runUserCommand } from './user-command.ts'

const { email } = testAccount

describe.each(engines)('the commands for users on %s', (engine) => {
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
      words.filter((word) => word !== '--yes'),
      { yes: words.includes('--yes') },
    )
  const readStatus = async () => (await server.readUser(tokens.access_token)).status
  const readLink = (output: string) => /\/oidc\/reset-password\?token=\S+/.exec(output)?.[0] ?? ''
  async function openLink(link: string, visitor = new SignInSession(server.baseUrl)) {
    const response = await visitor.fetch(link)
    const text = await response.text()
    return { status: response.status, form: /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '', visitor }
  }
  const signInStatus = async (password = testAccount.password) => {
    const other = new SignInSession(server.baseUrl)
    const { path, form } = await other.openForm()
    const response = await other.post(path, { email, password, form })
    return { status: response.status, text: await response.text() }
  }

  it('lists the users with their state, and no secret (§15.33)', async () => {
    const output = await run('list')
    expect(output.split('\n')[1]).toMatch(/^ada@example\.com +Ada Lovelace +active +local +\d{4}-/)
    expect(output).not.toContain('scrypt')
    await run('disable', email)
    expect(await run('list')).toContain('disabled')
  })

  it('a disabled user is refused at once, also on other nodes, until enabled (§15.34)', async () => {
    const link = readLink(await run('reset', email))
    // The command runs in a process of its own, so the server is another node.
    expect(await run('disable', email)).toContain('is disabled')
    expect(await readStatus()).toBe(401)
    expect((await browser.refresh(tokens.refresh_token)).status).toBe(400)
    expect((await browser.fetch('/oidc/account')).status).toBe(401)
    expect((await openLink(link)).status).toBe(403)
    const refused = await signInStatus()
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('This account is disabled')
    expect((await signInStatus('wrong horse')).status).toBe(401)
    await run('enable', email)
    expect(await readStatus()).toBe(401)
    expect((await signInStatus()).status).toBe(303)
  })

  it('delete removes the account, and its e-mail may create another one (§15.36)', async () => {
    const subject = JSON.parse(Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly sub: string
    }
    await run('delete', email, '--yes')
    expect(await readStatus()).toBe(401)
    expect((await signInStatus()).status).toBe(401)
    expect(await run('list')).toContain('being deleted')
    await expect(run('delete', subject.sub, '--yes')).rejects.toThrow('is being deleted')
    await expect(run('enable', subject.sub)).rejects.toThrow('is being deleted')
    await endPendingUsers({
      database,
      embedded: true,
      revokeTokens: () => Promise.reject(new Error('The server cannot be reached.')),
      deleteChats: () => Promise.resolve(),
      onError: () => undefined,
    })
    expect(await run('list')).toBe('There are no users.')
    for (const table of ['oidc', 'sign_ins'] as const)
      expect(
        await database.db.selectFrom(table).selectAll().where('account_id', '=', subject.sub).execute(),
      ).toEqual([])
    expect(await readStatus()).toBe(401)
    expect((await new SignInSession(server.baseUrl).join()).access_token).not.toBe('')
  })

  it.each([
    [['reset', 'nobody@example.com'], 'There is no user "nobody@example.com"'],
    [['reset', 'google-oauth2|1'], 'has no password here'],
    [['disable', 'twice@example.com'], 'Several users have the e-mail'],
    [['delete', email], 'Repeat the command with --yes'],
    [['delete', 'nobody@example.com', '--yes'], 'There is no user'],
    [['rename', email], 'Usage:'],
    [['reset'], 'Usage:'],
    [[], 'Usage:'],
    [['disable', email, 'another'], 'Usage:'],
  ])('changes nothing for %j (§15.33)', async (words, message) => {
    await database.db
      .insertInto('accounts')
      .values(
        ['google-oauth2|1', 'google-oauth2|2'].map((id) => ({
          id,
          email: 'twice@example.com',
          name: null,
          picture: null,
          password_hash: null,
          created_at: 1,
        })),
      )
      .execute()
    const before = await hashTables(database)
    await expect(run(...words)).rejects.toThrow(message)
    expect(await hashTables(database)).toEqual(before)
  })

  it('refuses to reset the password of a disabled user (§15.33)', async () => {
    await run('disable', email)
    const before = await hashTables(database)
    await expect(run('reset', email)).rejects.toThrow('Enable the user first')
    expect(await hashTables(database)).toEqual(before)
  })

  it('shows no control characters of a name in the terminal (§15.33)', async () => {
    await database.db.updateTable('accounts').set({ name: 'Ada\u001B[2J\nEve' }).execute()
    expect(await run('list')).toContain('Ada[2JEve')
  })
})

import { describe, expect, it } from 'vitest'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { OperatorScene } from '../../testing/identity/operator-scene.ts'
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'
import { endPendingUsers } from './user-maintenance.ts'

const { email } = testAccount

describe.each(engines)('the commands for users on %s', (engine) => {
  const scene = new OperatorScene(engine)

  it('lists the users with their state, and no secret (§15.33)', async () => {
    const output = await scene.run('list')
    expect(output.split('\n')[1]).toMatch(/^ada@example\.com +Ada Lovelace +active +local +\d{4}-/)
    expect(output).not.toContain('scrypt')
    await scene.run('disable', email)
    expect(await scene.run('list')).toContain('disabled')
  })

  it('a disabled user is refused at once, also on other nodes, until enabled (§15.34)', async () => {
    const link = await scene.createLink(email)
    // The command runs in a process of its own, so the server is another node.
    expect(await scene.run('disable', email)).toContain('is disabled')
    expect(await scene.readStatus()).toBe(401)
    expect((await scene.browser.refresh(scene.tokens.refresh_token)).status).toBe(400)
    expect((await scene.browser.fetch('/oidc/account')).status).toBe(401)
    expect((await scene.openLink(link)).status).toBe(403)
    const refused = await scene.signIn()
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('This account is disabled')
    expect((await scene.signIn('wrong horse')).status).toBe(401)
    await scene.run('enable', email)
    expect(await scene.readStatus()).toBe(401)
    expect((await scene.signIn()).status).toBe(303)
  })

  it('delete removes the account, and its e-mail may create another one (§15.36)', async () => {
    const subject = JSON.parse(
      Buffer.from(scene.tokens.id_token.split('.')[1] ?? '', 'base64url').toString(),
    ) as {
      readonly sub: string
    }
    await scene.run('delete', email, '--yes')
    expect(await scene.readStatus()).toBe(401)
    expect((await scene.signIn()).status).toBe(401)
    expect(await scene.run('list')).toContain('being deleted')
    await expect(scene.run('delete', subject.sub, '--yes')).rejects.toThrow('is being deleted')
    await expect(scene.run('enable', subject.sub)).rejects.toThrow('is being deleted')
    await endPendingUsers({
      database: scene.database,
      embedded: true,
      revokeTokens: () => Promise.reject(new Error('The server cannot be reached.')),
      deleteChats: () => Promise.resolve(),
      onError: () => undefined,
    })
    expect(await scene.run('list')).toBe('There are no users.')
    for (const table of ['oidc', 'sign_ins'] as const)
      expect(
        await scene.database.db.selectFrom(table).selectAll().where('account_id', '=', subject.sub).execute(),
      ).toEqual([])
    expect(await scene.readStatus()).toBe(401)
    expect((await new SignInSession(scene.server.baseUrl).join()).access_token).not.toBe('')
  })

  it.each([
    [['reset', 'nobody@example.com'], 'There is no user "nobody@example.com"'],
    [['reset', 'google-oauth2|1'], 'has no password here'],
    [['disable', 'twice@example.com'], 'Several users have the e-mail'],
    [['disable', 'google-oauth2|3'], 'Several users have the e-mail or id'],
    [['reset', 'id:twice@example.com'], 'There is no user'],
    [['delete', email], 'Repeat the command with --yes'],
    [['delete', 'nobody@example.com', '--yes'], 'There is no user'],
    [['rename', email], 'Usage:'],
    [['reset'], 'Usage:'],
    [[], 'Usage:'],
    [['disable', email, 'another'], 'Usage:'],
  ])('changes nothing for %j (§15.33)', async (words, message) => {
    await scene.database.db
      .insertInto('accounts')
      .values(
        [
          ['google-oauth2|1', 'twice@example.com'],
          ['google-oauth2|2', 'twice@example.com'],
          // One user's id is the e-mail of another.
          ['google-oauth2|3', 'another@example.com'],
          ['google-oauth2|4', 'google-oauth2|3'],
        ].map(([id = '', mail = '']) => ({
          id,
          email: mail,
          name: null,
          picture: null,
          password_hash: null,
          created_at: 1,
        })),
      )
      .execute()
    const before = await hashTables(scene.database)
    await expect(scene.run(...words)).rejects.toThrow(message)
    expect(await hashTables(scene.database)).toEqual(before)
  })

  it('refuses to reset the password of a disabled user (§15.33)', async () => {
    await scene.run('disable', email)
    const before = await hashTables(scene.database)
    await expect(scene.run('reset', email)).rejects.toThrow('Enable the user first')
    expect(await hashTables(scene.database)).toEqual(before)
  })

  it('shows no control characters of a name in the terminal (§15.33)', async () => {
    const forged = 'ada@example.com\u001B[2J\nEve\u202E'
    await scene.database.db
      .updateTable('accounts')
      .set({ name: 'Ada\u001B[2J\nEve', email: forged })
      .execute()
    expect(await scene.run('list')).toContain('Ada [2J Eve')
    const { id } = await scene.database.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    for (const command of ['reset', 'disable', 'enable']) {
      const output = await scene.run(command, `id:${id}`)
      expect(output).toContain('ada@example.com [2J Eve')
      for (const hidden of ['\u001B', '\u202E']) expect(output).not.toContain(hidden)
    }
  })
})

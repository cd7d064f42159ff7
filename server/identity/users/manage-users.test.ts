import { describe, expect, it } from 'vitest'
import { countWaiting } from '../../testing/database/count-waiting.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'
import { OperatorScene } from '../../testing/identity/operator-scene.ts'
import { SignInSession, testAccount } from '../../testing/identity/sign-in-session.ts'
import {
  createReset,
  deleteUser,
  disableUser,
  enableUser,
  inviteUser,
  listUsers,
  type ManageUsersDeps,
} from './manage-users.ts'
import { deleteAccount, disableUserRow } from './managed-user-store.ts'
import { processPendingUsers } from './user-maintenance.ts'

const { email } = testAccount

describe.each(engines)('managing users on %s', (engine) => {
  const scene = new OperatorScene(engine)

  it('lists the users with their state, and no secret', async () => {
    const [user, ...others] = await listUsers(scene.deps)
    expect(others).toEqual([])
    expect(user).toMatchObject({ email, name: 'Ada Lovelace', status: 'active', kind: 'local' })
    expect(JSON.stringify(user)).not.toContain('scrypt')
    await disableUser(scene.deps, email)
    expect(await listUsers(scene.deps)).toMatchObject([{ status: 'disabled' }])
  })

  it('a disabled user is refused at once, also on other nodes, until enabled', async () => {
    const link = await scene.createResetLink(email)
    expect(await disableUser(scene.deps, email)).toMatchObject({ status: 'disabled' })
    expect(await scene.readStatus()).toBe(401)
    expect((await scene.browser.refresh(scene.tokens.refresh_token)).status).toBe(400)
    expect((await scene.browser.fetch('/oidc/account')).status).toBe(401)
    expect((await scene.openLink(link)).status).toBe(403)
    const refused = await scene.signIn()
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('This account is disabled')
    expect((await scene.signIn('wrong horse')).status).toBe(401)
    await enableUser(scene.deps, email)
    expect(await scene.readStatus()).toBe(401)
    expect((await scene.signIn()).status).toBe(303)
  })

  it('delete removes the account, and its e-mail may create another one', async () => {
    const subject = JSON.parse(
      Buffer.from(scene.tokens.id_token.split('.')[1] ?? '', 'base64url').toString(),
    ) as {
      readonly sub: string
    }
    await deleteUser(scene.deps, email)
    expect(await scene.readStatus()).toBe(401)
    expect((await scene.signIn()).status).toBe(401)
    expect(await listUsers(scene.deps)).toMatchObject([{ status: 'being deleted', kind: 'local' }])
    await expect(createReset(scene.deps, email)).rejects.toThrow('is being deleted')
    await expect(deleteUser(scene.deps, subject.sub)).rejects.toThrow('is being deleted')
    await expect(enableUser(scene.deps, subject.sub)).rejects.toThrow('is being deleted')
    await processPendingUsers({
      database: scene.database,
      embedded: true,
      revokeTokens: () => Promise.reject(new Error('The server cannot be reached.')),
      deleteData: () => Promise.resolve(),
      onError: () => undefined,
    })
    expect(await listUsers(scene.deps)).toEqual([])
    for (const table of ['oidc', 'sign_ins'] as const)
      expect(
        await scene.database.db.selectFrom(table).selectAll().where('account_id', '=', subject.sub).execute(),
      ).toEqual([])
    expect(await scene.readStatus()).toBe(401)
    expect((await new SignInSession(scene.server.baseUrl).join()).access_token).not.toBe('')
  })

  type Change = (deps: ManageUsersDeps, name: string) => Promise<unknown>

  it.runIf(engine === 'postgres' && isConcurrent(engine)).each<[string, Change]>([
    ['disable', disableUser],
    ['enable', enableUser],
    ['reset', createReset],
  ])('%s changes nothing of a user whom another command deletes meanwhile', async (_command, change) => {
    const { db } = scene.database
    const changing = await db.transaction().execute(async (trx) => {
      const [user] = await listUsers(scene.deps, trx)
      await disableUserRow(trx, user?.userId ?? '', { disabled_at: 1, pending: 'delete' })
      await deleteAccount(trx, user?.id ?? '')
      const refusal = change(scene.deps, email).catch((error: unknown) => error)
      await expect.poll(() => countWaiting(trx)).toBe(1)
      return { refusal }
    })
    expect(await changing.refusal).toMatchObject({ code: 'conflict' })
    const users = await db.selectFrom('users').select(['disabled_at', 'pending']).execute()
    expect(users).toEqual([{ disabled_at: 1, pending: 'delete' }])
    expect(await db.selectFrom('oidc').select('id').where('model', '=', 'PasswordReset').execute()).toEqual(
      [],
    )
  })

  it.each<[string, Change, string, string]>([
    ['reset', createReset, 'nobody@example.com', 'There is no user "nobody@example.com"'],
    ['reset', createReset, 'google-oauth2|1', 'has no password here'],
    ['disable', disableUser, 'twice@example.com', 'Several users have the e-mail'],
    ['disable', disableUser, 'google-oauth2|3', 'Several users have the e-mail or id'],
    ['reset', createReset, 'id:twice@example.com', 'There is no user'],
    ['delete', deleteUser, 'nobody@example.com', 'There is no user'],
    ['delete', deleteUser, '\u001B[2J', 'There is no user "[2J"'],
  ])('%s changes nothing for an unclear user', async (_command, change, name, message) => {
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
    await expect(change(scene.deps, name)).rejects.toThrow(message)
    expect(await hashTables(scene.database)).toEqual(before)
  })

  it('finds a user whose id has spaces and other letters', async () => {
    const id = ' saml | Müller, Ada '
    await scene.database.db
      .insertInto('accounts')
      .values({ id, email: null, name: null, picture: null, password_hash: null, created_at: 1 })
      .execute()
    expect(await disableUser(scene.deps, id)).toMatchObject({ id, status: 'disabled' })
    expect(await enableUser(scene.deps, `id:${id}`)).toMatchObject({ id, status: 'active' })
  })

  it('refuses to reset the password of a disabled user', async () => {
    await disableUser(scene.deps, email)
    const before = await hashTables(scene.database)
    await expect(createReset(scene.deps, email)).rejects.toThrow('Enable the user first')
    expect(await hashTables(scene.database)).toEqual(before)
  })

  it.each([
    ['a user', 'ada@example.com', 'ada@example.com has an account, which is active'],
    ['a user in capitals', ' ADA@Example.com ', 'ada@example.com has an account, which is active'],
    ['a user of Google', 'grace@example.com', 'The user signs in with Google'],
    ['a word', 'nobody', '"nobody" is not an e-mail address'],
    ['nothing', '', '"" is not an e-mail address'],
    ['a control character', 'eve@example.com\u001B[2J', 'is not an e-mail address'],
    ['two e-mails', 'eve@example.com, bob@example.com', 'is not an e-mail address'],
    ['a long e-mail', `${'e'.repeat(300)}@example.com`, 'is not an e-mail address'],
  ])('refuses an invitation of %s', async (_name, address, message) => {
    await scene.database.db
      .insertInto('accounts')
      .values({
        id: 'google-oauth2|1',
        email: 'grace@example.com',
        name: null,
        picture: null,
        password_hash: null,
        created_at: 1,
      })
      .execute()
    const before = await hashTables(scene.database)
    await expect(inviteUser(scene.deps, address)).rejects.toThrow(message)
    expect(await hashTables(scene.database)).toEqual(before)
  })

  it('refuses an invitation when the accounts are at another provider, or the account is disabled', async () => {
    await disableUser(scene.deps, email)
    const before = await hashTables(scene.database)
    await expect(inviteUser(scene.deps, email)).rejects.toThrow('Enable the user instead')
    const hosted = { ...scene.deps, embedded: false, issuer: 'https://login.example' }
    await expect(inviteUser(hosted, 'eve@example.com')).rejects.toThrow('Invite the user there')
    expect(await hashTables(scene.database)).toEqual(before)
  })
})

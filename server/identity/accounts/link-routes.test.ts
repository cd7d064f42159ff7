import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { OperatorScene } from '../../testing/identity/operator-scene.ts'
import { testAccount } from '../../testing/identity/sign-in-session.ts'
import { makeFormToken } from './forms.ts'
import type { PasswordHasher } from './hash-password.ts'
import { registerResetRoutes } from './link-routes.ts'

const { email } = testAccount
const newPassword = 'battery staple'

describe.each(engines)('a reset link on %s', (engine) => {
  const scene = new OperatorScene(engine)

  it('sets a new password once, and signs out everywhere', async () => {
    const link = await scene.createResetLink(email.toUpperCase())
    expect(await scene.readStatus()).toBe(200)
    const { form, visitor } = await scene.openLink(link)
    const short = await visitor.post(link, { form, password: 'short' })
    expect(short.status).toBe(422)
    expect((await visitor.post(link, { password: newPassword })).status).toBe(403)
    expect((await visitor.post(link, { form, password: newPassword })).status).toBe(200)
    expect(await scene.readStatus()).toBe(401)
    expect((await scene.browser.refresh(scene.tokens.refresh_token)).status).toBe(400)
    expect((await scene.openLink(link)).status).toBe(403)
    expect((await visitor.post(link, { form, password: 'another password' })).status).toBe(403)
    expect((await scene.signIn(testAccount.password)).status).toBe(401)
    expect((await scene.signIn(newPassword)).status).toBe(303)
  })

  it('is replaced by the next one, and expires after a day', async () => {
    const first = await scene.createResetLink(email)
    const second = await scene.createResetLink(email)
    const { form } = await scene.openLink(second)
    const before = await hashTables(scene.database)
    expect((await scene.openLink(first)).status).toBe(403)
    expect((await scene.openLink(`${second}x`)).status).toBe(403)
    expect((await scene.openLink('/oidc/reset-password')).status).toBe(403)
    scene.clock.offset = 24 * 3_600_000
    expect((await scene.openLink(second)).status).toBe(403)
    expect((await scene.browser.post(second, { form, password: newPassword })).status).toBe(403)
    expect(await hashTables(scene.database)).toEqual(before)
  })

  it.each([
    ['the account is disabled', { disabled_at: 1 }, 403],
    ['the password is changed', { password_hash: 'another' }, 200],
  ])('is used up only when it sets the password: %s meanwhile', async (_name, change, status) => {
    const link = await scene.createResetLink(email)
    const { db } = scene.database
    let before: unknown
    const app = Fastify()
    const passwords = {
      async hash() {
        await db.updateTable('accounts').set(change).execute()
        before = await hashTables(scene.database)
        return 'the new hash'
      },
    } as unknown as PasswordHasher
    registerResetRoutes(app, {
      database: scene.database,
      sealer: scene.deps.sealer,
      provider: { issuer: scene.deps.issuer, load: () => Promise.reject(new Error('not used')) },
      formKey: 'a key',
      now: scene.deps.now,
      passwords,
      signInLimiter: { attempt: (_reply, _email, check) => check(), create: (_reply, create) => create() },
      sessions: { notifyEnded: () => Promise.resolve() },
    })
    const { pathname, search, searchParams } = new URL(link)
    const form = makeFormToken('a key', `/reset-password ${searchParams.get('token')}`)
    const url = pathname + search
    const response = await app.inject({ method: 'POST', url, payload: { form, password: newPassword } })
    expect(response.statusCode).toBe(status)
    if (status === 403) expect(await hashTables(scene.database)).toEqual(before)
    else {
      const accounts = await db.selectFrom('accounts').select('password_hash').execute()
      expect(accounts).toEqual([{ password_hash: 'the new hash' }])
    }
    await app.close()
  })
})

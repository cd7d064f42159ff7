import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import {
  openIdentityServer,
  testSecret,
  type IdentityServer,
} from '../../testing/identity/identity-server.ts'
import { SignInSession } from '../../testing/identity/sign-in-session.ts'
import { createReset, disableUser, enableUser, readIssuer } from '../users/manage-users.ts'
import { finishInteraction, type InteractionRequest } from './interaction.ts'

const password = 'correct horse'
const newPassword = 'battery staple'
const page = '/oidc/account'

describe.each(engines)(
  'a sign-in whose password was accepted and whose redirect was not followed, on %s',
  (engine) => {
    let database: TestDatabase
    let server: IdentityServer
    let created = 0

    beforeAll(async () => {
      database = await openTestDatabase(engine)
      server = await openIdentityServer({ database })
    })
    afterAll(async () => {
      await server.close()
      await database.close()
    })

    async function join() {
      created += 1
      const user = { email: `user${created}@example.com`, password }
      const browser = new SignInSession(server.baseUrl)
      const tokens = await browser.join(user)
      await server.readUser(tokens.access_token)
      return { user, browser }
    }

    /** Enters the password in another browser, and returns a function that follows the redirect. */
    async function prepare(user: { readonly email: string; readonly password: string }) {
      const browser = new SignInSession(server.baseUrl)
      const { path, form } = await browser.openForm()
      const accepted = await browser.post(path, { ...user, form })
      expect(accepted.status).toBe(303)
      return async () => {
        const { address } = await browser.follow(accepted)
        return new URL(address).searchParams.has('code')
      }
    }

    const readForm = async (browser: SignInSession) =>
      /name="form" value="([^"]+)"/.exec(await (await browser.fetch(page)).text())?.[1] ?? ''
    const manage = () => ({
      ...readIssuer(server.config),
      database,
      sealer: createSealer(testSecret),
      now: Date.now,
    })

    it('continues when nothing has changed', async () => {
      const { user } = await join()
      expect(await (await prepare(user))()).toBe(true)
    })

    it.each<[string, (account: Awaited<ReturnType<typeof join>>) => Promise<unknown>]>([
      [
        'a change of the password',
        async ({ browser }) =>
          browser.post(`${page}/password`, {
            form: await readForm(browser),
            current: password,
            password: newPassword,
          }),
      ],
      [
        'signing out everywhere',
        async ({ browser }) => browser.post(`${page}/sign-out-everywhere`, { form: await readForm(browser) }),
      ],
      [
        'a reset link',
        async ({ user }) => {
          const link = (await createReset(manage(), user.email)).link.url
          const visitor = new SignInSession(server.baseUrl)
          const form = /name="form" value="([^"]+)"/.exec(await (await visitor.fetch(link)).text())?.[1] ?? ''
          expect((await visitor.post(link, { form, password: newPassword })).status).toBe(200)
        },
      ],
      [
        'disabling and enabling the user',
        async ({ user }) => {
          await disableUser(manage(), user.email)
          await enableUser(manage(), user.email)
        },
      ],
    ])('ends with %s', async (_name, change) => {
      const account = await join()
      const finish = await prepare(account.user)
      await change(account)
      expect(await finish()).toBe(false)
    })

    it.each<[string, 'before' | 'after', string]>([
      ['changed', 'before', 'The password was changed'],
      ['changed', 'after', 'The password was changed'],
      ['disabled', 'before', 'This account is disabled'],
      ['disabled', 'after', 'This account is disabled'],
      ['deleted', 'before', 'This account was deleted'],
      ['deleted', 'after', 'This account was deleted'],
    ])(
      'ends when the account is %s between the check of its password and the redirect, %s the result is stored',
      async (change, moment, reason) => {
        const { user } = await join()
        const { db } = database
        const verified = await db
          .selectFrom('accounts')
          .selectAll()
          .where('email', '=', user.email)
          .executeTakeFirstOrThrow()
        const changeAccount = async () => {
          const fields = change === 'changed' ? { password_hash: 'another' } : { disabled_at: 1 }
          if (change === 'deleted') await db.deleteFrom('accounts').where('id', '=', verified.id).execute()
          else await db.updateTable('accounts').set(fields).where('id', '=', verified.id).execute()
        }
        let results = 0
        const loaded = {
          async interactionResult() {
            results += 1
            if (moment === 'after') await changeAccount()
            return '/resume'
          },
        } as unknown as Provider
        const provider = { issuer: 'http://localhost:3000/oidc', load: async () => loaded }
        const reply = createReply()
        if (moment === 'before') await changeAccount()
        await finishInteraction({ provider, database }, { raw: {} } as InteractionRequest, reply, verified)
        expect(reply.sent).toEqual({ status: 403, redirect: null, text: expect.stringContaining(reason) })
        expect(results).toBe(moment === 'before' ? 0 : 1)
      },
    )
  },
)

/** A response that records what is sent. */
function createReply() {
  const sent: { status: number; redirect: string | null; text: string } = {
    status: 200,
    redirect: null,
    text: '',
  }
  const reply = {
    raw: {} as FastifyRequest['raw'],
    sent,
    status(code: number) {
      sent.status = code
      return reply
    },
    header: () => reply,
    type: () => reply,
    redirect(location: string) {
      sent.redirect = location
      return reply
    },
    send(text: string) {
      sent.text = text
      return reply
    },
  }
  return reply as unknown as FastifyReply & { readonly sent: typeof sent }
}

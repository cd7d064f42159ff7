import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { engines, openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { openIdentityServer, testSecret } from '../testing/identity/identity-server.ts'
import { sendToPort } from '../testing/identity/send-to-port.ts'
import { SignInSession, testAccount, type Tokens } from '../testing/identity/sign-in-session.ts'
import { listUsers, readIssuer } from './users/manage-users.ts'

describe.each(engines)('an installation that gets another address on %s', (engine) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openTestDatabase(engine)
  })
  afterEach(() => database.close())

  /** Starts the server at an address, signs in there, and returns what the user and the operator see. */
  async function signInAt(address: string, trustProxy = 'false') {
    const server = await openIdentityServer({
      database,
      environment: { PUBLIC_URL: address, TRUST_PROXY: trustProxy },
    })
    try {
      const send = sendToPort(server.port)
      const discovery = await send(`${address}/oidc/.well-known/openid-configuration`)
      expect(await discovery.json()).toMatchObject({ issuer: `${address}/oidc` })
      const browser = new SignInSession(address, send)
      const isNew = (await database.db.selectFrom('accounts').select('id').execute()).length === 0
      const tokens = isNew
        ? await browser.join()
        : ((await (await browser.redeem(await browser.signIn(testAccount))).json()) as Tokens)
      const response = await send(`${address}/api/auth/userinfo`, {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      })
      const sealer = createSealer(testSecret)
      const managed = await listUsers({ ...readIssuer(server.config), database, sealer, now: Date.now })
      return {
        userinfo: await response.json(),
        userIds: managed.map(({ userId }) => userId),
      }
    } finally {
      await server.close()
    }
  }

  it('has the same users, with the same prefix, and new sign-ins', async () => {
    const first = await signInAt('http://localhost:3000')
    expect(first.userIds).toEqual([expect.any(String)])
    for (const [address, proxies] of [
      ['http://localhost:4000', 'false'],
      ['https://chat.example.com', '1'],
    ] as const) {
      const moved = await signInAt(address, proxies)
      expect(moved.userinfo).toEqual(first.userinfo)
      expect(moved.userIds).toEqual(first.userIds)
    }
    const { rows } = { rows: await database.db.selectFrom('users').select('id').execute() }
    expect(rows).toHaveLength(1)
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { openGuards } from '../http/outgoing/guarded-fetch.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { readZip } from '../testing/files/read-zip.ts'
import {
  openHostileIdentityProvider,
  type HostileIdentityProvider,
} from '../testing/identity/hostile-identity-provider.ts'
import { sendToPort } from '../testing/identity/send-to-port.ts'
import { SignInSession, type Tokens } from '../testing/identity/sign-in-session.ts'
import { runYonder } from '../testing/run-yonder.ts'
import { createRequestClient, injected, type RequestClient } from '../testing/send-request.ts'
import { openTestApp } from '../testing/test-app.ts'
import {
  fixtureSettings,
  fixtureUrl,
  fixtureUsers,
  listFixtures,
  readFixtureContent,
} from '../testing/upgrade/fixtures.ts'
import { openFixtureSealer } from '../testing/upgrade/open-upgraded.ts'
import { recordResponse, recordUser } from '../testing/upgrade/record-responses.ts'
import { restoreFixture, type RestoredFixture } from '../testing/upgrade/restore-fixture.ts'
import { createPasswordHasher } from './accounts/hash-password.ts'
import { openIdentity } from './open-identity.ts'

interface Address {
  readonly url: string
  /** What the proxy in front adds to each request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Where the installation was, another port, a domain, and a domain whose proxy says for whom it asks. */
const [firstAddress, ...nextAddresses]: readonly [Address, ...Address[]] = [
  { url: fixtureUrl },
  { url: 'http://localhost:4816' },
  { url: 'https://chat.example.com' },
  {
    url: 'https://yonder.example.org',
    headers: {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'yonder.example.org',
    },
  },
]
const version = listFixtures().at(-1) ?? 0
const [ada] = fixtureUsers
/** Hashing passwords takes long on a busy machine. */
const maxTestMs = 120_000

describe.each(engines.filter(isConcurrent))('an installation that gets another address on %s', (engine) => {
  const { users, visitor: shares } = readFixtureContent(version, engine)
  let fixture: RestoredFixture
  let database: Database
  let google: HostileIdentityProvider

  beforeEach(async () => {
    fixture = await restoreFixture(version, engine)
    database = await fixture.upgrade()
    google = await openHostileIdentityProvider()
    google.user = { sub: 'g-1', name: 'Eve', email: 'eve@example.com', email_verified: true }
  })
  afterEach(async () => {
    await database.close()
    await Promise.all([fixture.remove(), google.close()])
  })

  const settingsAt = ({ url, headers }: Address) => ({
    ...fixtureSettings,
    PUBLIC_URL: url,
    TRUSTED_PROXIES: headers === undefined ? '' : 'loopback',
    DATA_DIR: fixture.dataDir,
    GOOGLE_ISSUER: google.issuer,
    GOOGLE_CLIENT_ID: google.clientId,
    GOOGLE_CLIENT_SECRET: 'google-secret',
  })

  /** Starts the server at an address. */
  async function openAt(address: Address) {
    const { url, headers = {} } = address
    const sealer = openFixtureSealer(fixture.dataDir)
    const config = parseConfig(settingsAt(address))
    const guards = openGuards(config.outgoing)
    const identity = await openIdentity(
      { config, database, sealer, now: Date.now, passwords: createPasswordHasher() },
      { guard: guards.operatorSupplied, onNewUser: async () => undefined },
    )
    const { app, listen, close } = await openTestApp({
      database: { ...database, location: { dataDir: fixture.dataDir, databaseUrl: fixture.databaseUrl } },
      environment: settingsAt(address),
      deps: { sealer, identity },
    })
    const send = sendToPort(Number(new URL(await listen()).port))
    const clientOf = (more: Readonly<Record<string, string>> = {}) =>
      createRequestClient(injected(app), { host: new URL(url).host, ...headers, ...more })
    return {
      openBrowser: () =>
        new SignInSession(url, (to, init) =>
          send(to, { ...init, headers: { ...(init?.headers as Record<string, string>), ...headers } }),
        ),
      visitor: clientOf(),
      clientOf: ({ access_token }: Tokens) => clientOf({ authorization: `Bearer ${access_token}` }),
      async close() {
        await close()
        await Promise.all([identity.close(), guards.close()])
      },
    }
  }
  type Product = Awaited<ReturnType<typeof openAt>>

  async function signIn({ openBrowser }: Product, user: (typeof fixtureUsers)[number]): Promise<Tokens> {
    const browser = openBrowser()
    return (await (await browser.redeem(await browser.signIn(user))).json()) as Tokens
  }

  async function signInWithGoogle({ openBrowser, clientOf }: Product): Promise<RequestClient> {
    const browser = openBrowser()
    const { verifier, address } = browser.authorization({ connection: 'google-oauth2' })
    const atGoogle = await browser.follow(await browser.fetch(address))
    const consented = await fetch(atGoogle.address, { redirect: 'manual' })
    const back = await browser.follow(await browser.fetch(consented.headers.get('location') ?? ''))
    const code = new URL(back.address).searchParams.get('code') ?? ''
    return clientOf((await (await browser.redeem({ code, verifier })).json()) as Tokens)
  }

  async function yonder(address: Address, ...parameters: string[]): Promise<string> {
    const settings = { ...settingsAt(address), DATABASE_URL: fixture.databaseUrl ?? '' }
    const { code, stdout } = await runYonder(['users', ...parameters], { settings })
    expect(code).toBe(0)
    return stdout
  }

  /** What each user, the visitor of a shared link and the operator find. */
  async function readEverything(address: Address, product: Product) {
    const clients = await Promise.all(
      fixtureUsers.map(async (user) => product.clientOf(await signIn(product, user))),
    )
    const file = join(fixture.dataDir, `${new URL(address.url).host}.zip`)
    await yonder(address, 'export', ada.email, file)
    const { jsonOf, chats } = await readZip(readFileSync(file))
    const listed = JSON.parse(await yonder(address, 'list', '--json')) as readonly { readonly id: string }[]
    return {
      users: await Promise.all(clients.map(recordUser)),
      shares: await Promise.all(shares.map(({ path }) => recordResponse(product.visitor, path))),
      listed: listed.map(({ id }) => id),
      exported: { bots: jsonOf('bots.json'), chats },
    }
  }

  it(
    'has the same users, who find every chat, bot and share, and are exported and deleted with them',
    async () => {
      const first = await openAt(firstAddress)
      const googleUser = await signInWithGoogle(first)
      await googleUser.post('/api/bot', { name: 'Bot of Eve', model: 'm' })
      const readGoogleUser = async (client: RequestClient) => ({
        user: (await client.get('/api/auth/userinfo')).json<{ sub: string }>(),
        bots: (await client.get('/api/bots')).body,
      })
      const ofGoogleUser = await readGoogleUser(googleUser)
      expect(ofGoogleUser.user.sub).toMatch(/^google-oauth2\|/)
      expect(ofGoogleUser.bots).toContain('Bot of Eve')
      const before = await readEverything(firstAddress, first)
      expect(before.users.map(([userinfo]) => userinfo)).toEqual(users.map(({ responses }) => responses[0]))
      expect(before.shares).toEqual(shares)
      expect(before.listed).toHaveLength(fixtureUsers.length + 1)
      const old = await signIn(first, ada)
      await first.close()

      for (const address of nextAddresses) {
        const moved = await openAt(address)
        expect(await readEverything(address, moved)).toEqual(before)
        expect(await readGoogleUser(await signInWithGoogle(moved))).toEqual(ofGoogleUser)
        // A browser keeps tokens by address. Those of the former one are worth nothing here.
        expect((await moved.clientOf(old).get('/api/auth/userinfo')).statusCode).toBe(401)
        expect((await moved.openBrowser().refresh(old.refresh_token)).status).toBe(400)
        await moved.close()
      }

      const last = nextAddresses.at(-1) ?? firstAddress
      await yonder(last, 'delete', ada.email, '--yes')
      const moved = await openAt(last)
      expect((await recordResponse(moved.visitor, shares[0]?.path ?? '')).status).toBe(404)
      await moved.close()
    },
    maxTestMs,
  )
})

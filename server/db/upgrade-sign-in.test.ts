import { expect, it } from 'vitest'
import { engines } from '../testing/database/test-database.ts'
import { openIdentityServer } from '../testing/identity/identity-server.ts'
import { sendToPort } from '../testing/identity/send-to-port.ts'
import { SignInSession, type Tokens } from '../testing/identity/sign-in-session.ts'
import { fixtureUrl, fixtureUsers, listFixtures, readFixtureContent } from '../testing/upgrade/fixtures.ts'
import { openFixtureSealer } from '../testing/upgrade/open-upgraded.ts'
import { restoreFixture } from '../testing/upgrade/restore-fixture.ts'

/** Hashing a password takes long on a busy machine. */
const maxTestMs = 120_000

const cases = engines.flatMap((engine) => listFixtures().map((version) => ({ engine, version })))

it.each(cases)(
  'an upgrade from $version migrations on $engine accepts the passwords of users, who stay the same users',
  async ({ engine, version }) => {
    const fixture = await restoreFixture(version, engine)
    const database = await fixture.upgrade()
    const sealer = openFixtureSealer(fixture.dataDir)
    const server = await openIdentityServer({ database, sealer, environment: { PUBLIC_URL: fixtureUrl } })
    try {
      const send = sendToPort(server.port)
      const browser = new SignInSession(fixtureUrl, send)
      const redeemed = await browser.redeem(await browser.signIn(fixtureUsers[0]))
      const { access_token } = (await redeemed.json()) as Tokens
      const response = await send(`${fixtureUrl}/api/auth/userinfo`, {
        headers: { authorization: `Bearer ${access_token}` },
      })
      const recorded = readFixtureContent(version, engine).users[0]?.responses[0]
      expect(await response.json()).toEqual(recorded?.body)
    } finally {
      await server.close()
      await database.close()
      await fixture.remove()
    }
  },
  maxTestMs,
)

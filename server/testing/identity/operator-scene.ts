import { afterEach, beforeEach, expect } from 'vitest'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { createReset, readIssuer, type ManageUsersDeps } from '../../identity/users/manage-users.ts'
import { openTestDatabase, type Engine, type TestDatabase } from '../database/test-database.ts'
import { openIdentityServer, testSecret, type IdentityServer } from './identity-server.ts'
import { SignInSession, testAccount, type Tokens } from './sign-in-session.ts'

/** A signed-in user, and what an operator needs to manage users. Each test has a database of its own. */
export class OperatorScene {
  database!: TestDatabase
  server!: IdentityServer
  /** The browser in which the user is signed in. */
  browser!: SignInSession
  tokens!: Tokens
  readonly clock = { offset: 0 }

  /** Opens the scene for the tests of this `describe` block. */
  constructor(engine: Engine) {
    beforeEach(async () => {
      this.clock.offset = 0
      this.database = await openTestDatabase(engine)
      this.server = await openIdentityServer({ database: this.database, clock: this.clock })
      this.browser = new SignInSession(this.server.baseUrl)
      this.tokens = await this.browser.join()
      // The first request stores the user.
      expect(await this.readStatus()).toBe(200)
    })
    afterEach(async () => {
      await this.server.close()
      await this.database.close()
    })
  }

  /** What the operator's commands use. In the product, they run in another process than the server. */
  get deps(): ManageUsersDeps {
    return {
      ...readIssuer(this.server.config),
      database: this.database,
      sealer: createSealer(testSecret),
      now: () => Date.now() + this.clock.offset,
    }
  }

  /** Returns the status of a request with the user's access token. */
  async readStatus(): Promise<number> {
    return (await this.server.readUser(this.tokens.access_token)).status
  }

  /** Creates a reset link, and returns its address. */
  async createResetLink(user: string): Promise<string> {
    return (await createReset(this.deps, user)).link.url
  }

  /** Opens a link in a new browser, `visitor`. `form` is the hidden token of its page, empty when there is none. */
  async openLink(link: string) {
    const visitor = new SignInSession(this.server.baseUrl)
    const response = await visitor.fetch(link)
    const text = await response.text()
    return { status: response.status, form: /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '', visitor }
  }

  /** Signs in from another browser. */
  async signIn(password: string = testAccount.password): Promise<{ status: number; text: string }> {
    const other = new SignInSession(this.server.baseUrl)
    const { path, form } = await other.openForm()
    const response = await other.post(path, { email: testAccount.email, password, form })
    return { status: response.status, text: await response.text() }
  }
}

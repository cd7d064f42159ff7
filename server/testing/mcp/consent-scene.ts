import { ConnectResult, ConnectorList, type Connector } from '@yonder/contract/connector'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { callTool } from '../../connectors/calls/call-tool.ts'
import type { ToolOutcome } from '../../connectors/calls/tool-call.ts'
import { openConnectors, type Connectors } from '../../connectors/open-connectors.ts'
import type { Engine } from '../database/test-database.ts'
import { openTestApp, type TestApp, type TestClient } from '../test-app.ts'
import { findTarget } from './find-target.ts'
import { startOAuthMcpServer, type OAuthMcpServer } from './oauth-mcp-server.ts'

export interface StartedConsent {
  /** The path and query to which the authorization server redirects the browser. */
  readonly back: string
  readonly cookie: string
  readonly setCookie: string
}

/** A user with a connector whose server requires the user's consent. Each test has a server and a user of its own. */
export class ConsentScene {
  test!: TestApp
  server!: OAuthMcpServer
  ada!: TestClient
  /** Two nodes of the same installation. */
  nodes: readonly Connectors[] = []
  #offsetMs = 0

  /** Opens the scene for the tests of this `describe` block. */
  constructor(engine: Engine) {
    beforeAll(async () => {
      this.test = await openTestApp({
        engine,
        deps: { now: () => Date.now() + this.#offsetMs },
        environment: { ALLOWED_PRIVATE_HOSTS: '127.0.0.1:*' },
      })
    })
    beforeEach(async () => {
      this.#offsetMs = 0
      this.server = await startOAuthMcpServer()
      this.ada = await this.test.signIn('Ada')
      await this.ada.post('/api/mcp-server', { name: 'Guarded', url: this.server.url, allow_tools: [] })
      this.nodes = [0, 1].map(() =>
        openConnectors(this.test.deps, { onChanged: () => undefined, onError: () => undefined }),
      )
    })
    afterEach(async () => {
      await Promise.all(this.nodes.map((node) => node.close()))
      await this.server.close()
    })
    afterAll(() => this.test.close())
  }

  advance(milliseconds: number): void {
    this.#offsetMs += milliseconds
  }

  /** Connects and consents, until the browser is redirected back. */
  async start(client = this.ada, body?: unknown): Promise<StartedConsent> {
    const response = await client.post('/api/mcp-server/Guarded/connect', body)
    expect(response.statusCode).toBe(200)
    const { authorization_url, connector } = ConnectResult.parse(response.json())
    expect(connector.status).toBe('disconnected')
    const setCookie = String(response.headers['set-cookie'])
    const consent = await fetch(authorization_url ?? '', { redirect: 'manual' })
    const location = new URL(consent.headers.get('location') ?? '')
    expect(location.origin).toBe('http://localhost:3000')
    return { back: location.pathname + location.search, cookie: setCookie.split(';')[0] ?? '', setCookie }
  }

  /** Returns the address to which the product redirects the browser after the consent. */
  async returnFromConsent(back: string, cookie: string | undefined): Promise<string> {
    const response = await this.test.app.inject({
      url: back,
      headers: { host: 'localhost:3000', ...(cookie === undefined ? {} : { cookie }) },
    })
    expect(response.statusCode).toBe(302)
    return String(response.headers.location)
  }

  async connect(): Promise<void> {
    const { back, cookie } = await this.start()
    expect(await this.returnFromConsent(back, cookie)).toBe(
      'http://localhost:3000/settings/connectors?authorization=connected&connector=Guarded',
    )
  }

  async readConnector(client = this.ada): Promise<Connector | undefined> {
    const list = ConnectorList.parse((await client.get('/api/mcp-servers')).json())
    return list.find(({ name }) => name === 'Guarded')
  }

  listGrants() {
    return this.test.database.db
      .selectFrom('connector_grants')
      .selectAll()
      .where('user_id', '=', this.ada.user.id)
      .execute()
  }

  async call(node = this.nodes[0]!): Promise<ToolOutcome> {
    return callTool(node.deps, {
      user: this.ada.user,
      ...(await findTarget(node.deps, this.ada.user, 'Guarded', 'secret')),
      arguments: {},
      approval: 'once',
      signal: AbortSignal.timeout(10_000),
    })
  }
}

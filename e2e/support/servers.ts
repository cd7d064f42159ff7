import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, type WorkerFixture } from '@playwright/test'
import { openTestDatabase } from '../../server/testing/database/test-database.ts'
import { freePort } from '../../server/testing/free-port.ts'
import {
  startGoogleStandIn,
  type GoogleStandIn,
} from '../../server/testing/google-stand-in/start-google-stand-in.ts'
import { createCalendarApi } from '../../server/testing/google/calendar-api.ts'
import { createGmailApi } from '../../server/testing/google/gmail-api.ts'
import {
  startHostileServer,
  type HostileServer,
} from '../../server/testing/hostile-mcp/start-hostile-server.ts'
import {
  openHostileIdentityProvider,
  type HostileIdentityProvider,
} from '../../server/testing/identity/hostile-identity-provider.ts'
import { openIdentityServer, type IdentityServer } from '../../server/testing/identity/identity-server.ts'
import { startOAuthMcpServer, type OAuthMcpServer } from '../../server/testing/mcp/oauth-mcp-server.ts'
import { startRegistryServer, type RegistryServer } from '../../server/testing/mcp/registry-server.ts'
import { startEverything, type McpProcess } from '../../server/testing/mcp/start-mcp-process.ts'
import { readBuiltPage, type BuiltPage } from './built-page.ts'
import { openProducts, type Products } from './product.ts'

/** The servers that tests use. Each is started at its first use in a worker and closed at the worker's end. */
export interface Servers {
  readonly products: Products
  /** The reference MCP server `server-everything`, in a process of its own. */
  readonly everything: McpProcess
  /** An MCP server that requires the user's consent first. */
  readonly guarded: OAuthMcpServer
  /** An MCP server with many modes, most of them hostile. */
  readonly hostile: HostileServer
  /** The address of an MCP server that does not run. */
  readonly nowhere: string
  /** A folder that an MCP server may read and write. */
  readonly folder: string
  /** A stand-in for the connector registry. */
  readonly registry: RegistryServer
  /** The Gmail API of the stand-in for Google, with its mailboxes. */
  readonly gmail: ReturnType<typeof createGmailApi>
  /** The Calendar API of the stand-in for Google, with its calendars. */
  readonly calendar: ReturnType<typeof createCalendarApi>
  /** The stand-in for Google. Tests use `google`, which resets it. */
  readonly sharedGoogle: GoogleStandIn
  /** A stand-in for a hosted identity provider. Tests use `provider`, which resets it. */
  readonly sharedProvider: HostileIdentityProvider
  /** The page that can only sign in and out. */
  readonly identityPage: BuiltPage
  /** Serves the identity page, with the hosted provider. */
  readonly hosted: IdentityServer
  /** Serves the identity page, with the embedded provider. */
  readonly embedded: IdentityServer
}

/**
 * The base of every test. All servers are in one list because Playwright starts another worker, with another browser,
 * for each combination of worker fixtures.
 */
export const test = base.extend<object, Servers>({
  products: startOnce(() => Promise.resolve(openProducts())),
  everything: startOnce(startEverything),
  guarded: startOnce(startOAuthMcpServer),
  hostile: startOnce(startHostileServer),
  nowhere: [
    async ({}, use) => {
      await use(`http://127.0.0.1:${await freePort()}/mcp`)
    },
    { scope: 'worker' },
  ],
  folder: [
    async ({}, use) => {
      // MCP servers compare resolved paths with the allowed folder.
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'yonder-tools-')))
      await use(folder)
      rmSync(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  registry: startOnce(startFilledRegistry),
  gmail: [
    async ({}, use) => {
      await use(createGmailApi())
    },
    { scope: 'worker' },
  ],
  calendar: [
    async ({}, use) => {
      await use(createCalendarApi())
    },
    { scope: 'worker' },
  ],
  sharedGoogle: [
    async ({ gmail, calendar }, use) => {
      const google = await startGoogleStandIn({ apis: [gmail, calendar] })
      await use(google)
      await google.close()
    },
    { scope: 'worker' },
  ],
  sharedProvider: startOnce(openHostileIdentityProvider),
  identityPage: [async ({}, use) => use(readBuiltPage()), { scope: 'worker' }],
  hosted: [
    async ({ identityPage, sharedProvider }, use) => {
      const { issuer, clientId, audience } = sharedProvider
      const environment = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_AUDIENCE: audience }
      await serveIdentityPage(identityPage, environment, use)
    },
    { scope: 'worker' },
  ],
  embedded: [
    async ({ identityPage }, use) => {
      await serveIdentityPage(identityPage, {}, use)
    },
    { scope: 'worker' },
  ],
})

function startOnce<Server extends { readonly close: () => Promise<void> }>(
  start: () => Promise<Server>,
): [WorkerFixture<Server, object>, { scope: 'worker' }] {
  return [
    async ({}, use) => {
      const server = await start()
      await use(server)
      await server.close()
    },
    { scope: 'worker' },
  ]
}

async function startFilledRegistry(): Promise<RegistryServer> {
  const registry = await startRegistryServer()
  const secret = { name: 'Authorization', isRequired: true, isSecret: true }
  registry.pages = [
    [makeEntry('weather', { title: 'Weather' }), makeEntry('vault', { title: 'Vault' }, [secret])],
    Array.from({ length: 60 }, (_, at) => makeEntry(`more${at}`)),
  ]
  return registry
}

function makeEntry(name: string, rest: object = {}, headers: readonly object[] = []) {
  const url = `https://${name}.example/mcp`
  return {
    server: {
      name: `com.example/${name}`,
      description: `What ${name} is good for.`,
      remotes: [{ type: 'streamable-http', url, headers }],
      ...rest,
    },
  }
}

/** Serves the page that can only sign in and out, with these settings of the sign-in. */
export async function serveIdentityPage(
  page: BuiltPage,
  environment: Readonly<Record<string, string>>,
  use: (server: IdentityServer) => Promise<void>,
): Promise<void> {
  const database = await openTestDatabase('sqlite')
  const server = await openIdentityServer({
    database,
    environment,
    extend: (app) =>
      app.setNotFoundHandler((request, reply) => {
        const { body, type } = page.find(request.url.split('?')[0] ?? '/')
        return reply.type(type).send(body)
      }),
  })
  await use(server)
  await server.close()
  await database.close()
}

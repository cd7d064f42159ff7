import type { Locator, Page } from '@playwright/test'
import { freePort } from '../../server/testing/free-port.ts'
import { startOAuthMcpServer } from '../../server/testing/mcp/oauth-mcp-server.ts'
import type { OAuthMcpServer } from '../../server/testing/mcp/oauth-mcp-server.ts'
import { startRegistryServer } from '../../server/testing/mcp/registry-server.ts'
import type { RegistryServer } from '../../server/testing/mcp/registry-server.ts'
import { startHostileServer } from '../../server/testing/hostile-mcp/start-hostile-server.ts'
import type { HostileServer } from '../../server/testing/hostile-mcp/start-hostile-server.ts'
import { startEverything } from '../../server/testing/mcp/start-mcp-process.ts'
import type { McpProcess } from '../../server/testing/mcp/start-mcp-process.ts'
import { expect, test as base } from './fixtures.ts'
import { startOnce } from './start-once.ts'

interface Servers {
  /** The reference server of the protocol, in a process of its own. */
  readonly everything: McpProcess
  /** A server that wants a person's consent first. */
  readonly guarded: OAuthMcpServer
  /** An address where nothing listens. */
  readonly nowhere: string
  /** A server with many manners, most of them bad. */
  readonly hostile: HostileServer
  /** What the product takes for the registry of connectors. */
  readonly registry: RegistryServer
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

/** A product beside real MCP servers and a registry. */
export const test = base.extend<object, Servers>({
  everything: startOnce(startEverything),
  guarded: startOnce(startOAuthMcpServer),
  hostile: startOnce(startHostileServer),
  nowhere: [
    async ({}, use) => {
      await use(`http://127.0.0.1:${await freePort()}/mcp`)
    },
    { scope: 'worker' },
  ],
  registry: [
    async ({}, use) => {
      const registry = await startRegistryServer()
      const secret = { name: 'Authorization', isRequired: true, isSecret: true }
      registry.pages = [
        [makeEntry('weather', { title: 'Weather' }), makeEntry('vault', { title: 'Vault' }, [secret])],
        Array.from({ length: 60 }, (_, at) => makeEntry(`more${at}`)),
      ]
      await use(registry)
      await registry.close()
    },
    { scope: 'worker' },
  ],
  productSettings: [
    async ({ registry }, use) => {
      await use({ CONNECTOR_REGISTRY_URL: registry.url, ALLOWED_PRIVATE_HOSTS: '127.0.0.1:*' })
    },
    { scope: 'worker' },
  ],
})

export { expect, looks } from './fixtures.ts'

export async function openConnectors(page: Page): Promise<void> {
  await page.goto('/settings/connectors')
  await expect(page.getByRole('heading', { name: 'Connectors' })).toBeVisible()
  await expect(connectorRow(page, 'default')).toBeVisible()
}

/** The row of a connector, by its whole name. */
export function connectorRow(page: Page, name: string): Locator {
  return page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) })
}

export async function addConnector(page: Page, name: string, url: string): Promise<void> {
  await page.getByRole('button', { name: 'Add Connector' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add New Connector' })
  await dialog.getByLabel('Name *').fill(name)
  await dialog.getByLabel('URL *').fill(url)
  await dialog.getByRole('button', { name: 'Add Connector' }).click()
  await expect(page.getByText(`Connector "${name}" added successfully`)).toBeVisible()
  await expect(dialog).toBeHidden()
}

export async function connect(page: Page, name: string): Promise<void> {
  await connectorRow(page, name).getByRole('button', { name: 'Connect', exact: true }).click()
  // The message of an earlier time may still stand.
  await expect(page.getByText(`Connector "${name}" connected`).last()).toBeVisible()
  await expect(connectorRow(page, name).getByText('Connected', { exact: true })).toBeVisible()
}

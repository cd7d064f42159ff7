import { type Connector, ConnectorList } from '@yonder/contract/connector'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Engine } from '../database/test-database.ts'
import { openTestApp, type TestApp, type TestClient } from '../test-app.ts'

export const connectorUrl = 'https://tools.example/mcp'

/** The path of a connector in the API. */
export const pathOf = (name: string): string => `/api/mcp-server/${encodeURIComponent(name)}`

/** An app for the tests of a `describe` block, with a user of its own for each test. */
export class ConnectorScene {
  test!: TestApp
  ada!: TestClient

  constructor(engine: Engine) {
    beforeAll(async () => {
      this.test = await openTestApp({ engine })
    })
    beforeEach(async () => {
      this.ada = await this.test.signIn('Ada')
    })
    afterAll(() => this.test.close())
  }
}

/** The steps of tests about connectors. */
export function connectorSteps(scene: ConnectorScene) {
  async function list(client: TestClient = scene.ada): Promise<Connector[]> {
    const response = await client.get('/api/mcp-servers')
    if (response.statusCode !== 200) throw new Error(response.body)
    return ConnectorList.parse(response.json())
  }

  async function find(name: string): Promise<Connector> {
    const found = (await list()).find((connector) => connector.name === name)
    if (found === undefined) throw new Error(`There is no ${name}.`)
    return found
  }

  const create = (fields: Record<string, unknown> = {}, client: TestClient = scene.ada) =>
    client.post('/api/mcp-server', { name: 'Tools', url: connectorUrl, ...fields })

  async function idOf(name: string): Promise<string> {
    const { test, ada } = scene
    const row = await test.database.db
      .selectFrom('connectors')
      .select('id')
      .where('user_id', '=', ada.user.id)
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    return row.id
  }

  /** Everything about connectors that a refused request must leave as it is. */
  async function rows(): Promise<unknown> {
    const { db } = scene.test.database
    return {
      connectors: await db.selectFrom('connectors').selectAll().orderBy('id').execute(),
      tools: await db
        .selectFrom('connector_tools')
        .selectAll()
        .orderBy('connector_id')
        .orderBy('name')
        .execute(),
      permissions: await db
        .selectFrom('tool_permissions')
        .selectAll()
        .orderBy('connector_id')
        .orderBy('name')
        .execute(),
    }
  }

  /** Replaces the stored tools of a connector, as if its server had listed these. */
  async function storeTools(name: string, ...tools: { name: string; description: string }[]): Promise<void> {
    const connector_id = await idOf(name)
    const { db } = scene.test.database
    await db.deleteFrom('connector_tools').where('connector_id', '=', connector_id).execute()
    await db
      .insertInto('connector_tools')
      .values(
        tools.map((tool, position) => ({
          connector_id,
          position,
          name: tool.name,
          definition: JSON.stringify({
            ...tool,
            title: null,
            inputSchema: {},
            outputSchema: null,
            annotations: null,
          }),
          fingerprint: `print of ${tool.name}: ${tool.description}`,
          problem: null,
        })),
      )
      .execute()
  }

  return { list, find, create, idOf, rows, storeTools }
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { openTestDatabase } from '../testing/database/test-database.ts'
import type { TestDatabase } from '../testing/database/test-database.ts'
import { createApiKeyConnector } from './api-key-connector.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { createIntegration } from './manage-integrations.ts'
import { addUser } from '../testing/factories/users.ts'

const server = {
  name: 'finder',
  url: 'https://finder.example/mcp',
  header: 'Authorization',
  scheme: 'Bearer',
}

describe('the connector of an API-key service', () => {
  let database: TestDatabase
  let deps: IntegrationDeps
  const sent: string[] = []
  const guard = {
    fetch: (input: Request | URL | string, init?: RequestInit) => {
      const address = input instanceof Request ? input.url : String(input)
      sent.push(`${address} ${new Headers(init?.headers).get('authorization')}`)
      return Promise.resolve(new Response('{}'))
    },
  }
  const post = (address: string) => new Request(address, { method: 'POST', body: '{}' })

  beforeAll(async () => {
    database = await openTestDatabase('sqlite')
    await addUser(database.db, { id: 'ada' })
    deps = {
      database,
      sealer: createSealer('a secret of tests that is long enough'),
      now: () => 1,
      loadGoogle: () => Promise.reject(new Error('Google is not used.')),
      apiKeyServices: [server],
      inBackground: () => undefined,
      onChanged: () => undefined,
      closing: new AbortController().signal,
    }
    await createIntegration(deps, { id: 'ada' }, { name: 'finder', auth_type: 'api_key', api_key: 'the-key' })
  })
  afterAll(() => database.close())

  it('sends the key only to the origin that the operator configured (§19.2)', async () => {
    const connector = createApiKeyConnector(deps, server, guard).server
    await connector.fetch('ada', post('https://finder.example/messages?session=1'))
    expect(sent).toEqual(['https://finder.example/messages?session=1 Bearer the-key'])
    for (const other of [
      'https://evil.example/mcp',
      'http://finder.example/mcp',
      'https://finder.example:444/mcp',
      'https://finder.example.evil/mcp',
    ])
      await expect(connector.fetch('ada', post(other))).rejects.toMatchObject({ code: 'address_refused' })
    expect(sent).toHaveLength(1)
  })

  it('throws when the key is missing or cannot be decrypted, and sends nothing', async () => {
    sent.length = 0
    const connector = createApiKeyConnector(deps, server, guard).server
    await expect(connector.fetch('eve', post(server.url))).rejects.toMatchObject({
      code: 'not_connected',
      message: 'Finder is not connected. Connect it under Settings, Integrations.',
    })
    const sealer = createSealer('another secret that is just as long')
    const other = createApiKeyConnector({ ...deps, sealer }, server, guard).server
    await expect(other.fetch('ada', post(server.url))).rejects.toMatchObject({
      code: 'not_connected',
      message: expect.stringContaining('Enter it again under Settings, Integrations.'),
    })
    expect(sent).toEqual([])
  })
})

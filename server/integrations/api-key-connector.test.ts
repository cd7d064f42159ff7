import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { addUser } from '../testing/factories/users.ts'
import { createApiKeyConnector } from './api-key-connector.ts'
import { listStatuses } from './integration-credential.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { requireIntegration } from './integration-store.ts'
import { createIntegration, updateApiKey } from './manage-integrations.ts'
import { presentIntegration } from './present-integration.ts'

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
  const account = async () => ({
    userId: 'ada',
    version: (await requireIntegration(database.db, { id: 'ada' }, 'finder')).version,
  })
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
    }
    await createIntegration(deps, { id: 'ada' }, { name: 'finder', auth_type: 'api_key', api_key: 'the-key' })
  })
  afterAll(() => database.close())

  it('sends the key only to the origin that the operator configured', async () => {
    const connector = createApiKeyConnector(deps, server, guard).server
    await connector.fetch(await account(), post('https://finder.example/messages?session=1'))
    expect(sent).toEqual(['https://finder.example/messages?session=1 Bearer the-key'])
    for (const other of [
      'https://evil.example/mcp',
      'http://finder.example/mcp',
      'https://finder.example:444/mcp',
      'https://finder.example.evil/mcp',
    ])
      await expect(connector.fetch(await account(), post(other))).rejects.toMatchObject({
        code: 'address_refused',
      })
    expect(sent).toHaveLength(1)
  })

  it('does not send the key to a new address of the service, and asks for it', async () => {
    sent.length = 0
    const moved = { ...server, url: 'https://other.example/mcp' }
    const later = { ...deps, apiKeyServices: [moved] }
    const connector = createApiKeyConnector(later, moved, guard).server
    await expect(connector.fetch(await account(), post(moved.url))).rejects.toMatchObject({
      code: 'not_connected',
      message: expect.stringMatching(/changed the address of Finder.*Enter the key for the new address/),
    })
    expect(sent).toEqual([])
    const row = await requireIntegration(database.db, { id: 'ada' }, 'finder')
    expect(presentIntegration(later, row)).toMatchObject({
      connected: false,
      api_key: null,
      notice: expect.stringContaining('Enter the key for the new address.'),
    })
    expect((await listStatuses(later, 'ada')).get('finder')).toMatchObject({ isConnected: false })

    await updateApiKey(later, { id: 'ada' }, 'finder', {
      name: 'finder',
      auth_type: 'api_key',
      api_key: 'the-new-key',
    })
    await connector.fetch(await account(), post(moved.url))
    expect(sent).toEqual(['https://other.example/mcp Bearer the-new-key'])
    await updateApiKey(deps, { id: 'ada' }, 'finder', {
      name: 'finder',
      auth_type: 'api_key',
      api_key: 'the-key',
    })
  })

  it('sends no key that was entered after the request was allowed', async () => {
    sent.length = 0
    const connector = createApiKeyConnector(deps, server, guard).server
    const approved = await account()
    const change = { name: 'finder', auth_type: 'api_key', api_key: 'the-key-of-another-account' } as const
    await updateApiKey(deps, { id: 'ada' }, 'finder', change)
    await expect(connector.fetch(approved, post(server.url))).rejects.toMatchObject({
      code: 'conflict',
      message:
        'The API key of Finder was replaced before the request was sent, so the request was not sent. Try again.',
    })
    expect(sent).toEqual([])
    await updateApiKey(deps, { id: 'ada' }, 'finder', { ...change, api_key: 'the-key' })
  })

  it.each([200, 401, 403, 500])('removes the key from a response of the service (%i)', async (status) => {
    const echo = {
      fetch: () => Promise.resolve(new Response('the key sk-canary-0123456789 is unknown', { status })),
    }
    const sending = createApiKeyConnector(deps, { ...server, scheme: '' }, echo).server
    const change = { name: 'finder', auth_type: 'api_key', api_key: 'sk-canary-0123456789' } as const
    await updateApiKey(deps, { id: 'ada' }, 'finder', change)
    const text = await sending.fetch(await account(), post(server.url)).then(
      (response) => response.text(),
      (error: unknown) => String(error),
    )
    expect(text).toContain('the key … is unknown')
    await updateApiKey(deps, { id: 'ada' }, 'finder', { ...change, api_key: 'the-key' })
  })

  it('keeps the key when only the path of the address has changed', async () => {
    sent.length = 0
    const moved = { ...server, url: 'https://finder.example/v2/mcp' }
    await createApiKeyConnector(deps, moved, guard).server.fetch(await account(), post(moved.url))
    expect(sent).toEqual(['https://finder.example/v2/mcp Bearer the-key'])
  })

  it('throws when the key is missing or cannot be decrypted, and sends nothing', async () => {
    sent.length = 0
    const connector = createApiKeyConnector(deps, server, guard).server
    await expect(connector.fetch({ userId: 'eve', version: 1 }, post(server.url))).rejects.toMatchObject({
      code: 'not_connected',
      message: 'Finder is not connected. Connect it under Settings, Integrations.',
    })
    const sealer = createSealer('another secret that is just as long')
    const other = createApiKeyConnector({ ...deps, sealer }, server, guard).server
    await expect(other.fetch(await account(), post(server.url))).rejects.toMatchObject({
      code: 'not_connected',
      message: expect.stringContaining('Enter the key again under Settings, Integrations.'),
    })
    expect(sent).toEqual([])
  })

  it('is not connected while its key cannot be decrypted, and asks for the key', async () => {
    const later = { ...deps, sealer: createSealer('another secret that is just as long') }
    const present = async () =>
      presentIntegration(later, await requireIntegration(database.db, { id: 'ada' }, 'finder'))
    expect(await present()).toMatchObject({
      connected: false,
      api_key: null,
      notice: expect.stringContaining('Enter the key again.'),
    })
    expect((await listStatuses(later, 'ada')).get('finder')).toMatchObject({ isConnected: false })
    const change = { name: 'finder', auth_type: 'api_key', api_key: 'the-key-again' } as const
    await updateApiKey(later, { id: 'ada' }, 'finder', change)
    expect(await present()).toMatchObject({ connected: true, notice: null })
  })
})

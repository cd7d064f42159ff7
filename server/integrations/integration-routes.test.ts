import type { Integration } from '@yonder/contract/integration'
import { googleIntegrations } from '@yonder/contract/integration-names'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCredential } from '../db/secrets/credential.ts'
import { integrationKeyContext } from '../db/secrets/seal-contexts.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines } from '../testing/database/test-database.ts'
import { openTestApp, type TestApp, type TestClient } from '../testing/test-app.ts'

const key = 'tvly-0123456789abcdef'
const mask = 'tvly••••••••cdef'

describe.each(engines)('integrations on %s', (engine) => {
  let product: TestApp
  let ada: TestClient
  const clock: { stopped: number | undefined } = { stopped: undefined }

  beforeAll(async () => {
    product = await openTestApp({
      engine,
      deps: { now: () => clock.stopped ?? Date.now() },
      environment: {
        API_KEY_SERVICES: JSON.stringify([
          { name: 'tavily', url: 'https://tavily.example/mcp' },
          { name: 'Exa Search', url: 'https://exa.example/mcp', header: 'x-api-key' },
        ]),
      },
    })
  })
  beforeEach(async ({ task }) => {
    // A new user for each test.
    ada = await product.signIn(`Ada of ${task.id}`)
  })
  afterAll(() => product.close())

  const list = async (client = ada) => (await client.get('/api/integrations')).json<Integration[]>()
  const addTavily = (fields: object = {}) =>
    ada.post('/api/integration', { name: 'tavily', auth_type: 'api_key', api_key: key, ...fields })
  const stored = () =>
    product.database.db
      .selectFrom('integrations')
      .selectAll()
      .where('user_id', '=', ada.user.id)
      .orderBy('name')
      .execute()

  it('are an empty list for a new user (§7.20)', async () => {
    expect(await list()).toEqual([])
  })

  it('that users can add are Gmail, Google Calendar and the API-key services of the operator (§7.21)', async () => {
    const types = await ada.get('/api/integration/types')
    expect(types.json()).toEqual(['google-gmail', 'google-calendar', 'tavily', 'Exa Search'])
  })

  it('are connected at once with a key, which is never returned (§3.14, §4.28, §7.22, §9.9)', async () => {
    const added = await addTavily({ connected: false })
    expect(added.statusCode).toBe(201)
    const tavily = { name: 'tavily', auth_type: 'api_key', connected: true, api_key: mask, notice: null }
    expect(added.json()).toEqual(tavily)
    expect(await list()).toEqual([tavily])
    const [row] = await stored()
    expect(row?.api_key).toMatch(/^v2\./)
    expect(JSON.stringify(row)).not.toContain(key)
  })

  it('at Google are not connected before the user has consented (§4.28, §5.15)', async () => {
    for (const name of googleIntegrations) {
      const added = await ada.post('/api/integration', {
        name,
        auth_type: 'oauth',
        connected: true,
        api_key: key,
      })
      expect(added.json()).toEqual({
        name,
        auth_type: 'oauth',
        connected: false,
        api_key: null,
        notice: null,
      })
    }
    expect((await list()).map(({ connected }) => connected)).toEqual([false, false])
  })

  it('are listed in the order in which they were added, also within one millisecond', async () => {
    clock.stopped = Date.now()
    await addTavily()
    await ada.post('/api/integration', { name: 'google-calendar', auth_type: 'oauth' })
    await ada.post('/api/integration', { name: 'Exa Search', auth_type: 'api_key', api_key: key })
    clock.stopped = undefined
    expect((await list()).map(({ name }) => name)).toEqual(['tavily', 'google-calendar', 'Exa Search'])
  })

  it.each([
    ['without a name (§5.12)', { name: ' ' }, 'name: Integration name is required'],
    [
      'without an authentication type (§5.13)',
      { auth_type: '' },
      'auth_type: Authentication type is required',
    ],
    ['without a key (§5.14)', { api_key: undefined }, 'API key is required for API Key authentication'],
    ['with an empty key (§5.14)', { api_key: '  ' }, 'API key is required for API Key authentication'],
    ['with a key that is not valid in a header', { api_key: 'clé secrète' }, 'api_key: use ASCII letters'],
    ['with a mask as the key', { api_key: mask }, 'api_key: use ASCII letters'],
    ['at Google with a key (§5.15)', { name: 'google-gmail' }, 'auth_type: Gmail needs a sign-in at Google.'],
    [
      'of an API-key service with OAuth (§5.15)',
      { auth_type: 'oauth' },
      'auth_type: Tavily needs an API key.',
    ],
    ['that is not offered', { name: 'dropbox' }, 'name: this server offers no integration "dropbox".'],
    [
      'by the name in the callback path',
      { name: 'gmail', auth_type: 'oauth' },
      'name: this server offers no integration "gmail".',
    ],
  ])('are not added %s', async (_, fields, message) => {
    const before = await hashTables(product.database)
    const refused = await addTavily(fields)
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toEqual({
      error: { code: 'invalid_request', message: expect.stringContaining(message) },
    })
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('can be added only once', async () => {
    await addTavily()
    const before = await hashTables(product.database)
    const again = await addTavily({ api_key: 'another-key' })
    expect(again.statusCode).toBe(409)
    expect(again.json()).toMatchObject({
      error: { code: 'name_taken', message: 'You have already added Tavily.' },
    })
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('get a new key, and keep it when the mask is sent back (§4.28, §7.23)', async () => {
    await addTavily()
    const other = 'tvly-ffffffffffff-zzzz'
    const changed = await ada.put('/api/integration/tavily', {
      name: 'tavily',
      auth_type: 'api_key',
      api_key: other,
      connected: true,
    })
    expect(changed.json()).toMatchObject({ connected: true, api_key: 'tvly••••••••zzzz' })
    const before = await stored()
    const [row] = before
    expect(openCredential(product.deps.sealer, integrationKeyContext(row!), row?.api_key ?? '')).toEqual({
      secret: other,
      address: 'https://tavily.example',
    })
    for (const unchanged of [{ api_key: 'tvly••••••••zzzz' }, {}]) {
      const same = await ada.put('/api/integration/tavily', {
        name: 'tavily',
        auth_type: 'api_key',
        ...unchanged,
      })
      expect(same.json()).toMatchObject({ connected: true, api_key: 'tvly••••••••zzzz' })
    }
    expect(await stored()).toEqual(before)
  })

  it.each([
    ['null', null],
    ['an empty text', ''],
    ['spaces', '  '],
  ])('are disconnected when the key becomes %s (§4.28)', async (_, api_key) => {
    await addTavily()
    const emptied = await ada.put('/api/integration/tavily', {
      name: 'tavily',
      auth_type: 'api_key',
      api_key,
      connected: true,
    })
    expect(emptied.json()).toMatchObject({ connected: false, api_key: null })
    expect((await stored())[0]?.api_key).toBeNull()
  })

  it('cannot be changed to another type (§5.15)', async () => {
    await addTavily()
    const before = await hashTables(product.database)
    const oauth = await ada.put('/api/integration/tavily', { name: 'tavily', auth_type: 'oauth' })
    expect(oauth.statusCode).toBe(400)
    const missing = await ada.put('/api/integration/never', {
      name: 'never',
      auth_type: 'api_key',
      api_key: key,
    })
    expect([missing.statusCode, missing.json()]).toEqual([
      404,
      { error: { code: 'not_found', message: 'You have no integration named "never".' } },
    ])
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('can be disconnected, which erases their key, but cannot be removed (§4.28, §7.24)', async () => {
    await addTavily()
    const response = await ada.post('/api/integration/disconnect/tavily', {})
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { name: 'tavily', auth_type: 'api_key', connected: false, api_key: null, notice: null },
    ])
    expect((await stored())[0]?.api_key).toBeNull()
    expect((await ada.post('/api/integration/disconnect/tavily')).json()).toMatchObject({ connected: false })
    expect((await ada.post('/api/integration/disconnect/never')).statusCode).toBe(404)
    expect((await ada.delete('/api/integration/tavily')).statusCode).toBe(404)
    expect((await ada.get('/api/integrations')).json()).toMatchObject([{ name: 'tavily' }])
  })

  it('belong to one user', async () => {
    const eve = await product.signIn('Eve')
    await addTavily()
    expect(await list(eve)).toEqual([])
    const before = await hashTables(product.database)
    for (const response of [
      await eve.put('/api/integration/tavily', { name: 'tavily', auth_type: 'api_key', api_key: 'eves' }),
      await eve.post('/api/integration/disconnect/tavily'),
      await eve.get('/api/integration/auth/tavily'),
    ])
      expect(response.statusCode).toBe(404)
    expect(await hashTables(product.database)).toEqual(before)
    expect(
      (
        await eve.post('/api/integration', {
          name: 'tavily',
          auth_type: 'api_key',
          api_key: 'eve-key-0123456789',
        })
      ).statusCode,
    ).toBe(201)
    expect(await list()).toMatchObject([{ api_key: mask }])
  })

  it('at Google cannot be connected when Google is not set up, and the error names the missing settings', async () => {
    await ada.post('/api/integration', { name: 'google-gmail', auth_type: 'oauth' })
    const before = await hashTables(product.database)
    const refused = await ada.get('/api/integration/auth/google-gmail')
    expect([refused.statusCode, refused.json()]).toEqual([
      409,
      {
        error: {
          code: 'conflict',
          message:
            'Google is not set up on this server. Ask its operator to set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
        },
      },
    ])
    expect((await ada.get('/api/integration/auth/google-calendar')).statusCode).toBe(404)
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('with an API key have no consent page', async () => {
    await addTavily()
    const refused = await ada.get('/api/integration/auth/tavily')
    expect([refused.statusCode, refused.json()]).toMatchObject([
      400,
      {
        error: {
          message:
            'Tavily needs an API key and no sign-in at Google. Enter the key under Settings, Integrations.',
        },
      },
    ])
  })
})

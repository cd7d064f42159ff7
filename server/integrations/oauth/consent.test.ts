import type { Integration } from '@yonder/contract/integration'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { connectGoogle, visitGoogle } from '../../testing/google-stand-in/connect-google.ts'
import {
  startGoogleStandIn,
  type GoogleStandIn,
} from '../../testing/google-stand-in/start-google-stand-in.ts'
import { createRequestClient, injected } from '../../testing/send-request.ts'
import { openTestApp, type TestApp, type TestClient } from '../../testing/test-app.ts'
import { openGoogleTokens } from '../integration-credential.ts'
import { openIntegrations } from '../open-integrations.ts'
import { finishGoogleConsent } from './consent.ts'
import type { GoogleClient } from './google-client.ts'
import { googleScopes } from './scopes.ts'

const events = 'https://www.googleapis.com/auth/calendar.events'

describe.each(engines)('consent at Google on %s', (engine) => {
  let google: GoogleStandIn
  let product: TestApp
  let ada: TestClient
  let clock: number

  beforeAll(async () => {
    google = await startGoogleStandIn()
    product = await openTestApp({
      engine,
      environment: { ...google.environment, PUBLIC_URL: 'https://chat.example' },
      deps: { now: () => clock },
    })
  })
  beforeEach(async ({ task }) => {
    google.reset()
    clock = Date.now()
    // A new user for each test.
    ada = await signIn(`Ada of ${task.id}`)
  })
  afterAll(async () => {
    await product.close()
    await google.close()
  })

  /** A client that sends the host of PUBLIC_URL. */
  async function signIn(name: string): Promise<TestClient> {
    const client = await product.signIn(name)
    const headers = { ...client.headers, host: 'chat.example' }
    return { ...client, ...createRequestClient(injected(product.app), headers) }
  }
  const add = (name: string, client = ada) => client.post('/api/integration', { name, auth_type: 'oauth' })
  const returnFromGoogle = (service: string, body: object, client = ada) =>
    client.post(`/api/integration/callback/${service}`, body)
  const readStored = async () => {
    const row = await product.database.db
      .selectFrom('integrations')
      .selectAll()
      .where('user_id', '=', ada.user.id)
      .executeTakeFirstOrThrow()
    return {
      row,
      tokens: openGoogleTokens(product.deps.sealer, row),
    }
  }

  it('connects Gmail and stores its tokens encrypted (§4.28, §7.25, §7.26)', async () => {
    expect(await connectGoogle(ada, 'google-gmail')).toEqual({
      name: 'google-gmail',
      auth_type: 'oauth',
      connected: true,
      api_key: null,
      notice: null,
    })
    const { row, tokens } = await readStored()
    expect(tokens).toEqual({
      accessToken: expect.stringMatching(/^ya29\./),
      refreshToken: expect.stringMatching(/^1\/\//),
      expiresAt: clock + 3_599_000,
    })
    for (const secret of [tokens?.accessToken, tokens?.refreshToken])
      expect(JSON.stringify(row)).not.toContain(secret)
    expect(google.tokenRequests).toEqual([
      expect.objectContaining({
        grant_type: 'authorization_code',
        redirect_uri: 'https://chat.example/callback/gmail',
        code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      }),
    ])
  })

  it.each(['gmail', 'google-gmail'])('accepts the service name %s (§7.26)', async (service) => {
    await add('google-gmail')
    const { code, state, path } = await visitGoogle(ada, 'google-gmail')
    expect(path).toBe('/callback/gmail')
    expect((await returnFromGoogle(service, { code, state })).json()).toMatchObject({ connected: true })
  })

  it('does not connect with an access token that no request can carry, and explains why', async () => {
    await add('google-gmail')
    const { code, state } = await visitGoogle(ada, 'google-gmail')
    google.behaviour.token = 'line_breaks'
    const response = await returnFromGoogle('gmail', { code, state })
    google.behaviour.token = 'issue'
    expect(response.json()).toMatchObject({
      error: { code: 'upstream_invalid', message: expect.stringContaining('that no request can carry') },
    })
    expect((await ada.get('/api/integrations')).json()).toMatchObject([{ connected: false }])
  })

  it('connects Google Calendar under its own service name (§7.26)', async () => {
    await add('google-calendar')
    const { code, state, path } = await visitGoogle(ada, 'google-calendar')
    expect(path).toBe('/callback/google-calendar')
    expect((await returnFromGoogle('google-calendar', { code, state })).json()).toMatchObject({
      name: 'google-calendar',
      connected: true,
    })
  })

  it('uses a new state and challenge each time', async () => {
    await add('google-gmail')
    await visitGoogle(ada, 'google-gmail')
    await visitGoogle(ada, 'google-gmail')
    const [first, second] = google.consents.map(({ searchParams }) => searchParams)
    for (const name of ['state', 'code_challenge']) {
      expect(first?.get(name)).toMatch(/^[\w-]{43}$/)
      expect(first?.get(name)).not.toBe(second?.get(name))
    }
    const stored = await product.database.db.selectFrom('integration_consents').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(first?.get('state'))
  })

  describe('is refused without writing anything', () => {
    async function expectRefused(
      service: string,
      body: object,
      [status, code]: readonly [number, string],
      client = ada,
    ): Promise<string> {
      const before = await hashTables(product.database)
      const requests = google.tokenRequests.length
      const refused = await returnFromGoogle(service, body, client)
      const { error } = refused.json<{ error: { code: string; message: string } }>()
      expect([refused.statusCode, error.code]).toEqual([status, code])
      expect(await hashTables(product.database)).toEqual(before)
      expect(google.tokenRequests.length).toBe(requests)
      return error.message
    }

    it('without a code (§5.17)', async () => {
      await add('google-gmail')
      const { state } = await visitGoogle(ada, 'google-gmail')
      for (const body of [
        {},
        { state },
        { code: '', state },
        { error: 'access_denied', state },
        { code: null, state },
      ])
        await expectRefused('gmail', body, [400, 'invalid_request'])
    })

    it('without a service or for an unknown one (§5.17)', async () => {
      await add('google-gmail')
      const { code, state } = await visitGoogle(ada, 'google-gmail')
      for (const service of ['', 'never', 'google-calendar', '%00'])
        await expectRefused(service, { code, state }, [404, 'not_found'])
    })

    it('without a state, and with a used or wrong one', async () => {
      await connectGoogle(ada, 'google-gmail')
      const { code, state } = await visitGoogle(ada, 'google-gmail')
      for (const wrong of [undefined, '', 'never', `${state}x`])
        expect(await expectRefused('gmail', { code, state: wrong }, [409, 'conflict'])).toContain(
          'Connect Gmail again',
        )
      await returnFromGoogle('gmail', { code, state })
      await expectRefused('gmail', { code, state }, [409, 'conflict'])
    })

    it('after ten minutes', async () => {
      await add('google-gmail')
      const { code, state } = await visitGoogle(ada, 'google-gmail')
      clock += 10 * 60_000 + 1
      await expectRefused('gmail', { code, state }, [409, 'conflict'])
    })

    it('with the state of another user, which stays valid for that user', async () => {
      const eve = await signIn('Eve')
      await add('google-gmail')
      await add('google-gmail', eve)
      const { code, state } = await visitGoogle(ada, 'google-gmail')
      await expectRefused('gmail', { code, state }, [409, 'conflict'], eve)
      expect((await returnFromGoogle('gmail', { code, state })).json()).toMatchObject({ connected: true })
      expect((await eve.get('/api/integrations')).json()).toMatchObject([{ connected: false }])
    })

    it('with the state of another integration', async () => {
      await add('google-gmail')
      await add('google-calendar')
      const { code, state } = await visitGoogle(ada, 'google-gmail')
      await expectRefused('google-calendar', { code, state }, [409, 'conflict'])
    })
  })

  it('connects nothing when the user declines', async () => {
    google.behaviour.consent = 'deny'
    await add('google-gmail')
    expect(await visitGoogle(ada, 'google-gmail')).toMatchObject({ code: null, error: 'access_denied' })
    expect((await ada.get('/api/integrations')).json()).toMatchObject([{ connected: false }])
  })

  it('redeems a code once when it arrives in three requests at the same time (§4.29)', async () => {
    await add('google-gmail')
    const { code, state } = await visitGoogle(ada, 'google-gmail')
    const responses = await Promise.all([1, 2, 3].map(() => returnFromGoogle('gmail', { code, state })))
    expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409, 409])
    expect(google.tokenRequests.length).toBe(1)
  })

  it('connects with fewer scopes than requested, with a notice about what is missing', async () => {
    google.behaviour.uncheckedScopes = [events]
    expect(await connectGoogle(ada, 'google-calendar')).toMatchObject({
      connected: true,
      notice:
        'You did not allow Yonder to see and change events. To change that, disconnect and connect again.',
    })
  })

  it('does not connect without any of the needed scopes, and revokes the tokens', async () => {
    await add('google-calendar')
    const { code, state } = await visitGoogle(ada, 'google-calendar')
    google.behaviour.uncheckedScopes =
      new URL(google.consents.at(-1)?.href ?? '').searchParams.get('scope')?.split(' ') ?? []
    const again = await visitGoogle(ada, 'google-calendar')
    const refused = await returnFromGoogle('google-calendar', again)
    expect([refused.statusCode, refused.json()]).toMatchObject([
      409,
      { error: { message: expect.stringContaining('tick the boxes') } },
    ])
    expect((await readStored()).row).toMatchObject({ tokens: null, scopes: null })
    await expect.poll(() => google.revocations, { interval: 5 }).toHaveLength(1)
    google.behaviour.uncheckedScopes = []
    expect((await returnFromGoogle('google-calendar', { code, state })).json()).toMatchObject({
      connected: true,
    })
  })

  it('does not connect without a refresh token, explains what to do, and revokes the tokens', async () => {
    google.behaviour.issuesRefreshTokens = false
    await add('google-gmail')
    const refused = await returnFromGoogle('gmail', await visitGoogle(ada, 'google-gmail'))
    expect([refused.statusCode, refused.json()]).toMatchObject([
      409,
      { error: { message: expect.stringContaining('third-party apps of your Google account') } },
    ])
    expect((await readStored()).row.tokens).toBeNull()
    await expect.poll(() => google.revocations, { interval: 5 }).toHaveLength(1)
  })

  it.each([
    ['an HTML page', 'html', 502, 'upstream_invalid'],
    ['an error', 'fail', 502, 'upstream_error'],
  ] as const)('can be repeated after Google responded with %s', async (_, token, status, code) => {
    await add('google-gmail')
    google.behaviour.token = token
    const refused = await returnFromGoogle('gmail', await visitGoogle(ada, 'google-gmail'))
    expect([refused.statusCode, refused.json()]).toMatchObject([status, { error: { code } }])
    expect((await readStored()).row).toMatchObject({ tokens: null, version: 1 })
    google.behaviour.token = 'issue'
    const again = await returnFromGoogle('gmail', await visitGoogle(ada, 'google-gmail'))
    expect(again.json()).toMatchObject({ connected: true })
  })

  it('leaves the connection as it is when a second consent fails', async () => {
    await connectGoogle(ada, 'google-gmail')
    const before = await readStored()
    google.behaviour.token = 'fail'
    await returnFromGoogle('gmail', await visitGoogle(ada, 'google-gmail'))
    expect(await readStored()).toEqual(before)
  })

  it('is revoked when the integration was disconnected before the tokens arrived', async () => {
    await add('google-gmail')
    const { authUrl } = (await ada.get('/api/integration/auth/google-gmail')).json<{ authUrl: string }>()
    const state = new URL(authUrl).searchParams.get('state') ?? ''
    const revoked: string[] = []
    const client: Partial<GoogleClient> = {
      async redeemCode(name) {
        await ada.post(`/api/integration/disconnect/${name}`)
        const scopes = googleScopes[name].map(({ scope }) => scope)
        return { accessToken: 'late', refreshToken: 'later', expiresAt: clock + 3_600_000, scopes }
      },
      revokeToken: (token) => Promise.resolve(void revoked.push(token)),
    }
    const background: Promise<unknown>[] = []
    const finished = finishGoogleConsent(
      {
        ...product.deps,
        apiKeyServices: [],
        onChanged: () => undefined,
        inBackground: (work) => void background.push(work),
        loadGoogle: () => Promise.resolve(client as GoogleClient),
      },
      ada.user,
      'google-gmail',
      { code: 'code', state },
    )
    await expect(finished).rejects.toMatchObject({ code: 'conflict' })
    await Promise.all(background)
    expect((await readStored()).row).toMatchObject({ tokens: null, scopes: null })
    expect(revoked).toEqual(['late'])
  })

  describe('is revoked', () => {
    const disconnect = async (name: string) =>
      (await ada.post(`/api/integration/disconnect/${name}`)).json<Integration>()

    it('here and at Google by disconnecting (§4.28, §7.24)', async () => {
      await connectGoogle(ada, 'google-gmail')
      const { tokens } = await readStored()
      expect(await disconnect('google-gmail')).toMatchObject({ connected: false, notice: null })
      expect((await readStored()).row).toMatchObject({ tokens: null, scopes: null, ended: 0 })
      await expect.poll(() => google.revocations, { interval: 5 }).toEqual([tokens?.refreshToken])
    })

    it.each(['hang', 'fail'] as const)(
      'here also when the request to Google does not succeed: %s',
      async (revoke) => {
        google.behaviour.revoke = revoke
        await connectGoogle(ada, 'google-gmail')
        expect(await disconnect('google-gmail')).toMatchObject({ connected: false })
        expect((await readStored()).row.tokens).toBeNull()
        await expect.poll(() => google.revocations, { interval: 5 }).toHaveLength(1)
      },
    )

    it('here and at Google when the user is disabled', async () => {
      await connectGoogle(ada, 'google-gmail')
      const { tokens } = await readStored()
      const integrations = openIntegrations(product.deps, {
        onChanged: () => undefined,
        onError: () => undefined,
      })
      await integrations.revokeTokens(ada.user.id)
      expect((await readStored()).row).toMatchObject({ tokens: null, scopes: null })
      await expect.poll(() => google.revocations, { interval: 5 }).toEqual([tokens?.refreshToken])
      await integrations.close()
    })

    it('at Google only when the last Google integration is disconnected', async () => {
      await connectGoogle(ada, 'google-gmail')
      await connectGoogle(ada, 'google-calendar')
      await disconnect('google-gmail')
      const calendar = await product.deps.database.db
        .selectFrom('integrations')
        .selectAll()
        .where('user_id', '=', ada.user.id)
        .where('name', '=', 'google-calendar')
        .executeTakeFirstOrThrow()
      const stored = openGoogleTokens(product.deps.sealer, calendar)
      await disconnect('google-calendar')
      await expect.poll(() => google.revocations, { interval: 5 }).toEqual([stored?.refreshToken])
    })
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import type { Guards } from '../../http/outgoing/guards.ts'
import { openGuards } from '../../http/outgoing/guards.ts'
import { startGoogleStandIn } from '../../testing/google-stand-in/start-google-stand-in.ts'
import type { GoogleStandIn, StandInManners } from '../../testing/google-stand-in/start-google-stand-in.ts'
import { createGoogleClient } from './google-client.ts'
import type { GoogleClient } from './google-client.ts'

describe('Google', () => {
  let standIn: GoogleStandIn
  let guards: Guards
  const closing = new AbortController()

  function open(more: Readonly<Record<string, string>> = {}): GoogleClient {
    const { google, googleApis: apis, publicUrl } = parseConfig({ ...standIn.environment, ...more })
    if (google === null) throw new Error('There is no client.')
    return createGoogleClient({
      google,
      apis,
      publicUrl,
      fetch: guards.operatorSupplied.fetch,
      closing: closing.signal,
      now: () => 1_000_000,
      timeout: 0.3,
    })
  }

  beforeAll(async () => {
    standIn = await startGoogleStandIn()
    guards = openGuards(parseConfig({}).outgoing)
  })
  afterEach(() => {
    standIn.manners.token = 'give'
  })
  afterAll(async () => {
    await guards.close()
    await standIn.close()
  })

  it('is asked for consent with all that a lasting, stolen-proof code needs', () => {
    const url = new URL(open().authorizationUrl('google-gmail', 'the-state', 'the-challenge'))
    expect(url.href.startsWith(`${standIn.origin}/o/oauth2/v2/auth?`)).toBe(true)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: standIn.environment['GOOGLE_CLIENT_ID'],
      response_type: 'code',
      redirect_uri: 'http://localhost:3000/callback/gmail',
      scope: expect.stringMatching(/^https:\/\/www\.googleapis\.com\/auth\/gmail\.\w+/),
      state: 'the-state',
      code_challenge: 'the-challenge',
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
    })
    const calendar = new URL(open().authorizationUrl('google-calendar', 's', 'c'))
    expect(calendar.searchParams.get('redirect_uri')).toBe('http://localhost:3000/callback/google-calendar')
  })

  const faults: readonly (readonly [string, StandInManners['token'], string, string])[] = [
    ['never answers', 'hang', 'upstream_timeout', 'Google did not answer in time.'],
    ['stops in the middle', 'stall', 'upstream_timeout', 'Google did not answer in time.'],
    ['answers a page', 'html', 'upstream_invalid', 'is not what its sign-in should answer'],
    ['answers without end', 'huge', 'output_limit', 'The server sent more than 65,536 bytes.'],
    ['is down', 'fail', 'upstream_error', 'Google could not give access. Try again later.'],
    [
      'does not know us',
      'invalid_client',
      'upstream_refused_key',
      'GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET',
    ],
  ]
  it.each(faults)(
    'that %s gives a sentence, for a code and for a refresh token',
    async (_, token, code, message) => {
      standIn.manners.token = token
      const expected = { code, message: expect.stringContaining(message) }
      const client = open()
      await expect(client.redeemCode('google-gmail', 'code', 'verifier')).rejects.toMatchObject(expected)
      await expect(client.renewTokens('google-gmail', 'refresh')).rejects.toMatchObject(expected)
    },
  )

  it('that is not there gives a sentence', async () => {
    await expect(
      open({ GOOGLE_TOKEN_URL: 'http://127.0.0.1:9/token' }).redeemCode('google-gmail', 'code', 'verifier'),
    ).rejects.toMatchObject({ code: 'upstream_unreachable', message: 'Google cannot be reached.' })
  })

  it('that takes neither a code nor a refresh token says so, and only the latter ends the consent', async () => {
    const client = open()
    await expect(client.redeemCode('google-gmail', 'never', 'verifier')).rejects.toMatchObject({
      code: 'conflict',
      message: 'Google does not accept this code any more. Connect again.',
    })
    await expect(client.renewTokens('google-gmail', 'never')).resolves.toBeUndefined()
  })

  it('tells its operator which return address Google has to know', async () => {
    const client = open()
    const { searchParams } = new URL(client.authorizationUrl('google-calendar', 's', 'c'))
    const query = {
      redirectUri: `${searchParams.get('redirect_uri')}/elsewhere`,
      state: 's',
      challenge: 'c',
      nonce: '',
      isOffline: true,
    }
    const code = standIn.grants.giveCode('ada@example.com', [], query)
    await expect(client.redeemCode('google-calendar', code, 'verifier')).rejects.toMatchObject({
      code: 'upstream_refused_key',
      message: expect.stringContaining('has to add http://localhost:3000/callback/google-calendar there'),
    })
  })
})

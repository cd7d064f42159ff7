import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import { type Guards, openGuards } from '../../http/outgoing/guarded-fetch.ts'
import { describeError } from '../../lib/describe-error.ts'
import { freePort } from '../../testing/free-port.ts'
import {
  startGoogleStandIn,
  type GoogleStandIn,
  type StandInBehaviour,
} from '../../testing/google-stand-in/start-google-stand-in.ts'
import { createGoogleClient, type GoogleClient } from './google-client.ts'

describe('the Google client', () => {
  let standIn: GoogleStandIn
  let guards: Guards
  const closing = new AbortController()

  function open(more: Readonly<Record<string, string>> = {}): GoogleClient {
    const { google, googleApis: apis, publicUrl } = parseConfig({ ...standIn.environment, ...more })
    if (google === null) throw new Error('Google is not set up.')
    return createGoogleClient({
      google,
      apis,
      publicUrl,
      fetch: guards.operatorSupplied.fetch,
      closing: closing.signal,
      now: () => 1_000_000,
      timeoutMs: 300,
    })
  }

  beforeAll(async () => {
    standIn = await startGoogleStandIn()
    guards = openGuards(parseConfig({}).outgoing)
  })
  afterEach(() => standIn.reset())
  afterAll(async () => {
    await guards.close()
    await standIn.close()
  })

  it('requests consent with PKCE and offline access', () => {
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

  const faults: readonly (readonly [string, StandInBehaviour['token'], string, string])[] = [
    ['does not respond', 'hang', 'upstream_timeout', 'Google did not respond in time.'],
    ['stops in the middle of a response', 'stall', 'upstream_timeout', 'Google did not respond in time.'],
    ['responds with a page', 'html', 'upstream_invalid', 'sent an unexpected response'],
    ['sends an endless response', 'huge', 'output_limit', 'The server sent more than 64 KiB.'],
    [
      'sends a token with line breaks',
      'line_breaks',
      'upstream_invalid',
      'The response from Google cannot be used. Its access token contains a space, a line break or another character that no request can carry. Connect again.',
    ],
    ['fails', 'fail', 'upstream_error', 'Google had an internal error. Try again later.'],
    [
      'refuses the request',
      'invalid_scope',
      'upstream_error',
      'Google refused the request of this server (invalid_scope). Try again later. If it fails again, ask the operator of this server to check its OAuth client in the Google Cloud console.',
    ],
    [
      'refuses the client',
      'invalid_client',
      'upstream_refused_key',
      'GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET',
    ],
  ]
  it.each(faults)(
    'throws an error that explains the failure when Google %s',
    async (_, token, code, message) => {
      standIn.behaviour.token = token
      const expected = { code, message: expect.stringContaining(message) }
      const client = open()
      await expect(client.redeemCode('google-gmail', 'code', 'verifier')).rejects.toMatchObject(expected)
      await expect(client.refreshTokens('google-gmail', 'refresh', [])).rejects.toMatchObject(expected)
    },
  )

  it.each([
    ['invalid_scope', 'Google responded with status 400. Its error: invalid_scope.'],
    ['repeated_request', 'Google responded with status 400. Its error: not a valid error code.'],
    ['fail', 'Google responded with status 503.'],
    ['html', 'Google responded with status 200.'],
  ] as const)('names status and error code for the log, and no secret (%s)', async (token, message) => {
    standIn.behaviour.token = token
    const failed = await open()
      .redeemCode('google-gmail', 'canary-code', 'canary-verifier')
      .catch((error: unknown) => error)
    expect(describeError(failed).cause).toMatchObject({ message })
    // The stand-in has received these secrets, and repeats them in its response.
    const secrets = {
      code: 'canary-code',
      code_verifier: 'canary-verifier',
      client_secret: 'stand-in-secret',
    }
    expect(standIn.tokenRequests).toEqual([expect.objectContaining(secrets)])
    expect(JSON.stringify(describeError(failed))).not.toMatch(/canary|stand-in-secret/)
  })

  it('keeps the granted scopes when Google names none with new tokens', async () => {
    const query = {
      redirectUri: 'http://localhost:3000/callback/google-calendar',
      state: 's',
      challenge: createHash('sha256').update('verifier').digest('base64url'),
      nonce: '',
      isOffline: true,
    }
    const client = open()
    const code = standIn.grants.issueCode('ada@example.com', ['one'], query)
    const issued = await client.redeemCode('google-calendar', code, 'verifier')
    standIn.behaviour.namesScopes = false
    const refreshed = await client.refreshTokens('google-calendar', issued.refreshToken ?? '', issued.scopes)
    expect(refreshed?.scopes).toEqual(['one'])
  })

  it('throws an error that explains the failure when Google cannot be reached', async () => {
    await expect(
      open({ GOOGLE_TOKEN_URL: `http://127.0.0.1:${await freePort()}/token` }).redeemCode(
        'google-gmail',
        'code',
        'verifier',
      ),
    ).rejects.toMatchObject({
      code: 'upstream_unreachable',
      message: 'Google cannot be reached. Try again later.',
    })
  })

  it('throws an error for a rejected code, and returns undefined for a rejected refresh token', async () => {
    const client = open()
    await expect(client.redeemCode('google-gmail', 'never', 'verifier')).rejects.toMatchObject({
      code: 'conflict',
      message:
        'Google did not accept this sign-in, because it is too old or was already used. Connect again.',
    })
    await expect(client.refreshTokens('google-gmail', 'never', [])).resolves.toBeUndefined()
  })

  it('throws an error with the redirect address that the operator has to add at Google', async () => {
    const client = open()
    const { searchParams } = new URL(client.authorizationUrl('google-calendar', 's', 'c'))
    const query = {
      redirectUri: `${searchParams.get('redirect_uri')}/other`,
      state: 's',
      challenge: 'c',
      nonce: '',
      isOffline: true,
    }
    const code = standIn.grants.issueCode('ada@example.com', [], query)
    await expect(client.redeemCode('google-calendar', code, 'verifier')).rejects.toMatchObject({
      code: 'upstream_refused_key',
      message: expect.stringContaining('to add http://localhost:3000/callback/google-calendar to'),
    })
  })
})

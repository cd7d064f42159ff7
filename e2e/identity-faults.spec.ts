import type { Faults } from '../server/testing/identity/hostile-identity-provider.ts'
import {
  requestToken,
  changeSession,
  expect,
  readStorage,
  signInHosted,
  test,
} from './support/identity-fixtures.ts'

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

type FaultList = readonly (readonly [string, (clientId: string) => Faults])[]

const signatureFaults: FaultList = [
  ['a forged signature', () => ({ signing: 'forged' })],
  ['the algorithm none', () => ({ signing: 'none' })],
  ['the algorithm none and a signature', () => ({ signing: 'none with signature' })],
  ['a shared-secret signature with the public key', () => ({ signing: 'hmac with the public key' })],
]

const claimFaults: FaultList = [
  ['another issuer', () => ({ idToken: { iss: 'https://evil.example' } })],
  ['another audience', () => ({ idToken: { aud: 'another-client' } })],
  ['two audiences and no authorized party', (id) => ({ idToken: { aud: [id, 'another-client'] } })],
  ['another nonce', () => ({ idToken: { nonce: 'another' } })],
  ['no nonce', () => ({ idToken: { nonce: undefined } })],
  ['an expiry 120 s ago', () => ({ idToken: { exp: inSeconds(-120) } })],
  ['no expiry', () => ({ idToken: { exp: undefined } })],
  ['a start in ten minutes', () => ({ idToken: { nbf: inSeconds(600) } })],
  ['no subject', () => ({ idToken: { sub: undefined } })],
]

const responseFaults: FaultList = [
  ['no ID token', () => ({ omitIdToken: true })],
  ['another state', () => ({ state: 'another' })],
  ['another issuer in the address', () => ({ responseIssuer: 'https://evil.example' })],
  ['no issuer in the address', () => ({ responseIssuer: null })],
  ['a refusal', () => ({ refuse: 'access_denied' })],
]

for (const [part, faults] of [
  ['signature of the ID token', signatureFaults],
  ['claims of the ID token', claimFaults],
  ['parameters of the response', responseFaults],
] as const) {
  test(`a response does not sign in when the ${part} cannot be trusted (§5.19, §8.5)`, async ({
    page,
    hosted,
    provider,
    problems,
  }) => {
    problems.expect(/Login failed/)
    for (const [name, makeFaults] of faults)
      await test.step(name, async () => {
        provider.forget()
        provider.faults = makeFaults(provider.clientId)
        await signInHosted(page, hosted)
        await expect.poll(() => provider.authorizations.length).toBe(1)
        await expect(page.getByRole('alert')).toHaveText('Login failed')
        expect(await readStorage(page)).toEqual({})
        expect(page.url()).toBe(`${hosted.baseUrl}/`)
        await expect(page.getByRole('button', { name: 'Sign in with Google' })).toBeVisible()
      })
  })
}

test('a valid response signs in, and so does one that expired 30 s ago (§4.1, §5.19, §9.15)', async ({
  page,
  hosted,
  provider,
}) => {
  await signInHosted(page, hosted)
  await expect(page.getByRole('heading', { name: 'Signed in as Grace Hopper' })).toBeVisible()
  await page.evaluate(() => localStorage.clear())
  provider.faults = { idToken: { exp: inSeconds(-30) } }
  await signInHosted(page, hosted)
  await expect(page.getByRole('heading', { name: 'Signed in as Grace Hopper' })).toBeVisible()
})

test('a sign-in sends the right parameters, each time with fresh secrets (§7.29)', async ({
  page,
  hosted,
  provider,
}) => {
  await signInHosted(page, hosted)
  await expect(page.getByRole('heading', { name: 'Signed in as' })).toBeVisible()
  await page.evaluate(() => localStorage.clear())
  await signInHosted(page, hosted)
  await expect(page.getByRole('heading', { name: 'Signed in as' })).toBeVisible()
  const [first, second] = provider.authorizations.map((params) => Object.fromEntries(params))
  expect(first).toMatchObject({
    response_type: 'code',
    redirect_uri: `${hosted.baseUrl}/`,
    scope: 'openid profile email offline_access',
    code_challenge_method: 'S256',
    audience: provider.audience,
    connection: 'google-oauth2',
  })
  for (const secret of ['state', 'nonce', 'code_challenge']) {
    expect(first?.[secret]?.length).toBeGreaterThan(20)
    expect(first?.[secret]).not.toBe(second?.[secret])
  }
})

test('a response works once, and only in the browser that requested it (§5.19)', async ({
  page,
  hosted,
  provider,
  problems,
}) => {
  problems.expect(/Login failed/)
  const callbacks: string[] = []
  page.on('request', (request) => {
    if (request.url().startsWith(`${hosted.baseUrl}/?code=`)) callbacks.push(request.url())
  })
  await signInHosted(page, hosted)
  await expect(page.getByRole('heading', { name: 'Signed in as' })).toBeVisible()
  await page.evaluate(() => localStorage.clear())
  provider.forget()

  await page.goto(callbacks[0] ?? '')
  await expect(page.getByRole('alert')).toHaveText('Login failed')
  expect(await readStorage(page)).toEqual({})

  const foreign = `${hosted.baseUrl}/?code=stolen&state=made-up&iss=${encodeURIComponent(provider.issuer)}`
  await page.goto(foreign)
  await expect(page.getByRole('alert')).toHaveText('Login failed')
  expect(await readStorage(page)).toEqual({})
  expect(provider.tokenRequests).toEqual([])
})

test('a response to a sign-in that this browser did not start does not change the session', async ({
  page,
  hosted,
  provider,
}) => {
  await signInHosted(page, hosted)
  await expect(page.getByRole('heading', { name: 'Signed in as' })).toBeVisible()
  const before = await readStorage(page)
  await page.goto(`${hosted.baseUrl}/?code=stolen&state=made-up&iss=${encodeURIComponent(provider.issuer)}`)
  await expect(page.getByRole('heading', { name: 'Signed in as' })).toBeVisible()
  expect(await readStorage(page)).toEqual(before)
})

const refreshFaults: readonly [string, Faults][] = [
  ['for another user', { idToken: { sub: 'another-user' } }],
  ['with a forged signature', { signing: 'forged' }],
  ['from another issuer', { idToken: { iss: 'https://evil.example' } }],
  ['for another audience', { idToken: { aud: 'another-client' } }],
]

test('a refresh that returns an untrusted token stores nothing, and the next one signs out (§4.1, §5.19, §8.6)', async ({
  page,
  hosted,
  provider,
  problems,
}) => {
  problems.expect(/400 \(Bad Request\)/)
  for (const [name, faults] of refreshFaults)
    await test.step(name, async () => {
      provider.faults = {}
      await signInHosted(page, hosted)
      await expect(page.getByRole('heading', { name: 'Signed in as' })).toBeVisible()
      await changeSession(page, { expiresAt: Date.now() })
      const before = await readStorage(page)

      provider.faults = faults
      expect((await requestToken(page)).error).toBe('Get access token failed')
      expect(await readStorage(page)).toEqual(before)
      await expect(page.getByText('Get access token failed')).toBeVisible()

      // The refused response has used up its refresh token.
      provider.faults = { status: { '/token': 400 }, tokenError: 'invalid_grant' }
      expect((await requestToken(page)).cause).toBe('SignedOutError')
      await expect(page.getByRole('button', { name: 'Sign in with Google' })).toBeVisible()
      expect(await readStorage(page)).toEqual({})
    })
})

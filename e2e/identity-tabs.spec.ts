import { type Page, chromium } from '@playwright/test'
import { findChromium } from '../scripts/find-chromium.mjs'
import { expireTimeouts, holdTimeouts } from './support/held-timeouts.ts'
import {
  requestToken,
  changeSession,
  expect,
  readStorage,
  signInHosted,
  test,
} from './support/identity-fixtures.ts'

const signedIn = (page: Page) => page.getByRole('heading', { name: 'Signed in as' })
const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in with Google' })

test('a sign-in returns to the page where it started', async ({ page, hosted, provider: _ }) => {
  await signInHosted(page, hosted, '/chat/abc?tab=2')
  await expect(signedIn(page)).toBeVisible()
  expect(page.url()).toBe(`${hosted.baseUrl}/chat/abc?tab=2`)
})

test('a sign-in whose return address was changed to another origin returns to the home page', async ({
  page,
  hosted,
  provider: _,
}) => {
  for (const target of [
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '/.//evil.example',
    'javascript:1',
  ])
    await test.step(target, async () => {
      // An attacker changes the stored record before the provider redirects back. The script of this step runs last.
      await page.addInitScript((returnTo) => {
        for (const key of Object.keys(sessionStorage)) {
          const record = JSON.parse(sessionStorage.getItem(key) ?? '{}') as object
          sessionStorage.setItem(key, JSON.stringify({ ...record, returnTo }))
        }
      }, target)
      await signInHosted(page, hosted, '/chat/abc')
      await expect(signedIn(page)).toBeVisible()
      expect(page.url()).toBe(`${hosted.baseUrl}/`)
      await page.evaluate(() => localStorage.clear())
    })
})

test('the session is kept in local storage and survives a reload without a request (§3.26)', async ({
  page,
  hosted,
  provider,
}) => {
  await signInHosted(page, hosted)
  await expect(signedIn(page)).toBeVisible()
  const [entry = ''] = Object.values(await readStorage(page))
  expect(JSON.parse(entry)).toMatchObject({ refreshToken: expect.any(String) })
  provider.forget()
  await page.reload()
  await expect(signedIn(page)).toBeVisible()
  expect(provider.calls).toEqual([])
})

test('an access token is refreshed once, silently, when it expires in less than a minute (§1.2)', async ({
  page,
  hosted,
  provider,
}) => {
  await page.clock.install()
  provider.faults = { accessTokenLife: 90 }
  await signInHosted(page, hosted)
  await expect(signedIn(page)).toBeVisible()
  provider.forget()
  const first = await requestToken(page)
  expect(provider.tokenRequests).toHaveLength(0)
  provider.faults = {}
  await page.clock.fastForward(31_000)
  const second = await requestToken(page)
  await requestToken(page)
  expect(provider.tokenRequests).toHaveLength(1)
  expect(second.token).not.toBe(first.token)
  expect((await hosted.readUser(second.token ?? '')).status).toBe(200)
  await page.reload()
  await expect(signedIn(page)).toBeVisible()
  expect((await requestToken(page)).token).toBe(second.token)
  expect(provider.tokenRequests).toHaveLength(1)
})

test('four calls in two tabs refresh the token once', async ({ page, context, hosted, provider }) => {
  await signInHosted(page, hosted)
  await expect(signedIn(page)).toBeVisible()
  const other = await context.newPage()
  await other.goto(hosted.baseUrl)
  await expect(signedIn(other)).toBeVisible()
  provider.forget()
  await context.route('**/token', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 400))
    await route.continue()
  })
  await changeSession(page, { expiresAt: Date.now() + 30_000 })
  const tokens = await Promise.all([page, page, other, other].map(requestToken))
  expect(provider.tokenRequests).toHaveLength(1)
  expect(new Set(tokens.map(({ token }) => token)).size).toBe(1)
  expect(tokens[0]?.token).toEqual(expect.any(String))
})

test('a tab that waits for another one times out after 5 s and stays signed in (§8.6, §9.15)', async ({
  page,
  context,
  hosted,
  provider: _,
}) => {
  await holdTimeouts(page)
  await signInHosted(page, hosted)
  await expect(signedIn(page)).toBeVisible()
  const holder = await context.newPage()
  await holder.goto(`${hosted.baseUrl}/assets-are-not-needed-here`)
  await holder.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.startsWith('yonder.sign-in:')) ?? ''
    return new Promise<void>((granted) => {
      void navigator.locks.request(key, () => {
        granted()
        return new Promise(() => undefined)
      })
    })
  })
  // Only now, because the tab that holds the lock would otherwise refresh the session itself.
  await changeSession(page, { expiresAt: Date.now() })
  const request = requestToken(page)
  await expireTimeouts(page, 5_000)
  expect(await request).toEqual({ error: 'Get access token failed', cause: 'TimeoutError' })
  await expect(signedIn(page)).toBeVisible()
})

test('sign-in and refresh time out 10 s after a request to the provider (§8.5, §8.6, §9.15)', async ({
  browser,
  hosted,
  provider: _,
}) => {
  const hang = async (pattern: string): Promise<Page> => {
    const page = await (await browser.newContext()).newPage()
    await holdTimeouts(page)
    await page.route(pattern, () => undefined)
    return page
  }
  const failSignIn = async (page: Page, pattern: string): Promise<void> => {
    const requested = page.waitForRequest(pattern)
    await signInHosted(page, hosted)
    await requested
    await expireTimeouts(page, 10_000)
    await expect(page.getByRole('alert')).toHaveText('Login failed')
  }
  const discovery = await hang('**/openid-configuration')
  await failSignIn(discovery, '**/openid-configuration')
  const code = await hang('**/token')
  await failSignIn(code, '**/token')

  const refresh = await hang('**/nothing-yet')
  await signInHosted(refresh, hosted)
  await expect(signedIn(refresh)).toBeVisible()
  await changeSession(refresh, { expiresAt: Date.now() })
  await refresh.route('**/token', () => undefined)
  const requested = refresh.waitForRequest('**/token')
  const token = requestToken(refresh)
  await requested
  await expireTimeouts(refresh, 10_000)
  expect((await token).error).toBe('Get access token failed')
  await Promise.all([discovery, code, refresh].map((page) => page.context().close()))
})

test("only the provider's refusal ends a session, and then in every tab (§4.1, §8.6)", async ({
  page,
  context,
  hosted,
  provider,
  problems,
}) => {
  problems.expect(/500 \(Internal/)
  problems.expect(/ERR_FAILED|ERR_INTERNET|UnreachableError|Failed to fetch \(\/api\//)
  problems.expect(/400 \(Bad/)
  await signInHosted(page, hosted)
  await expect(signedIn(page)).toBeVisible()
  const other = await context.newPage()
  await other.goto(hosted.baseUrl)
  await expect(signedIn(other)).toBeVisible()
  await changeSession(page, { expiresAt: Date.now() })

  provider.faults = { status: { '/token': 500 } }
  expect((await requestToken(page)).error).toBe('Get access token failed')
  await expect(page.getByText('Get access token failed')).toBeVisible()
  await page.route('**/token', (route) => route.abort('internetdisconnected'))
  expect((await requestToken(page)).error).toBe('Get access token failed')
  await page.unroute('**/token')
  await expect(signedIn(page)).toBeVisible()

  // The notice has a button to retry.
  provider.faults = {}
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Get access token failed')).toBeHidden()
  await expect(signedIn(page)).toBeVisible()

  await changeSession(page, { expiresAt: Date.now() })
  provider.faults = { status: { '/token': 400 }, tokenError: 'invalid_grant' }
  expect((await requestToken(page)).cause).toBe('SignedOutError')
  await expect(signInButton(page)).toBeVisible()
  await expect(signInButton(other)).toBeVisible()
})

test('signing out notifies the provider and every tab (§2.18)', async ({
  page,
  context,
  hosted,
  provider,
}) => {
  await signInHosted(page, hosted)
  await expect(signedIn(page)).toBeVisible()
  const other = await context.newPage()
  await other.goto(hosted.baseUrl)
  await expect(signedIn(other)).toBeVisible()
  provider.forget()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(signInButton(page)).toBeVisible()
  await expect(signInButton(other)).toBeVisible()
  expect(page.url()).toBe(`${hosted.baseUrl}/`)
  expect(await readStorage(page)).toEqual({})
  const notifications = provider.calls.filter((call) => /revoke|logout/.test(call))
  expect(notifications).toEqual(['POST /revoke', 'GET /logout'])
})

test('signing out also works when the provider is unavailable', async ({
  page,
  hosted,
  provider,
  problems,
}) => {
  problems.expect(/The sign-out at the provider failed/)
  await signInHosted(page, hosted)
  await expect(signedIn(page)).toBeVisible()
  await page.reload()
  await expect(signedIn(page)).toBeVisible()
  problems.expect(/500 \(Internal/)
  provider.faults = { status: { '/.well-known/openid-configuration': 500 } }
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(signInButton(page)).toBeVisible()
  expect(await readStorage(page)).toEqual({})
})

test('with the embedded provider, a signed-out browser has no valid token left', async ({
  page,
  embedded,
}) => {
  await page.goto(embedded.baseUrl)
  await page.getByRole('button', { name: 'Sign in with a local account' }).click()
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Name').fill('Ada Lovelace')
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByLabel('Password').fill('correct horse')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { name: 'Signed in as Ada Lovelace' })).toBeVisible()
  const [entry = '{}'] = Object.values(await readStorage(page))
  const { accessToken = '', refreshToken = '' } = JSON.parse(entry) as Record<string, string>
  expect((await embedded.readUser(accessToken)).status).toBe(200)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('button', { name: 'Sign in with a local account' })).toBeVisible()
  expect((await embedded.readUser(accessToken)).status).toBe(401)
  const refreshed = await fetch(`${embedded.baseUrl}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: 'yonder',
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    }),
  })
  expect(refreshed.status).toBe(400)
  // The session at the provider has ended too.
  await page.getByRole('button', { name: 'Sign in with a local account' }).click()
  await expect(page.getByLabel('Password')).toBeVisible()
})

test('a page on plain http explains why signing in is impossible', async ({ hosted }) => {
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ['--no-sandbox', '--host-resolver-rules=MAP yonder.lan localhost'],
  })
  try {
    const page = await browser.newPage()
    const errors: Error[] = []
    page.on('pageerror', (error) => errors.push(error))
    await page.goto(hosted.baseUrl.replace('localhost', 'yonder.lan'))
    await expect(page.getByRole('alert')).toContainText('Signing in needs a secure address.')
    await page.getByRole('button', { name: 'Sign in with Google' }).click()
    await expect(page.getByRole('alert')).toContainText('open it over https')
    expect(errors).toEqual([])
  } finally {
    await browser.close()
  }
})

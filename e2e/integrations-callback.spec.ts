import type { Page, Request } from '@playwright/test'
import { expect, looks } from './support/fixtures.ts'
import { addWithConsent, cardOf, openIntegrations, test } from './support/integrations-fixtures.ts'
import { signUp } from './support/users.ts'

/** Collects the requests by which the page sends an authorization code. */
function collectCallbacks(page: Page): readonly Request[] {
  const seen: Request[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/integration/callback/')) seen.push(request)
  })
  return seen
}

/** Waits for the redirect from Google and returns its address. */
async function waitForReturn(page: Page): Promise<string> {
  const request = await page.waitForRequest((one) => /\/callback\/[\w-]+\?/.test(one.url()))
  return request.url()
}

/** Holds the callback request until the returned function is called. */
async function holdCallback(page: Page): Promise<() => void> {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/integration/callback/**', async (route) => {
    await held
    await route.continue().catch(() => undefined)
  })
  return release
}

test('the authorization code is sent once, with its state, and is stored nowhere (§2.92, §4.29, §7.26)', async ({
  page,
  account: _,
  google,
  product,
}) => {
  const callbacks = collectCallbacks(page)
  const release = await holdCallback(page)
  await openIntegrations(page)
  const returned = waitForReturn(page)
  await addWithConsent(page, 'Gmail')
  const code = new URL(await returned).searchParams.get('code') ?? ''
  expect(code).not.toBe('')
  await expect(page.getByText('Processing Gmail authorization...')).toBeVisible()
  await expect(page).toHaveURL(/\/callback\/gmail$/)
  release()
  await expect(page.getByText('Gmail connected successfully!')).toBeVisible()
  await expect(page).toHaveURL('/settings/integrations')
  expect(callbacks.map((request) => request.postDataJSON() as unknown)).toEqual([
    { code, state: google.consents.at(-1)?.searchParams.get('state') },
  ])
  expect(callbacks[0]?.url()).toMatch(/\/api\/integration\/callback\/google-gmail$/)
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, history.state]))
  expect(stored).not.toContain(code)
  expect(product.output()).not.toContain(code)
})

test('neither a reload while the code is sent nor opening the old address sends it again (§4.29)', async ({
  page,
  account: _,
}) => {
  const release = await holdCallback(page)
  await openIntegrations(page)
  const returned = waitForReturn(page)
  await addWithConsent(page, 'Gmail')
  const address = await returned
  await expect(page.getByText('Processing Gmail authorization...')).toBeVisible()
  const callbacks = collectCallbacks(page)
  await page.reload()
  await expect(page).toHaveURL('/settings/integrations')
  release()
  await page.goto(address)
  await expect(page).toHaveURL('/settings/integrations')
  await expect(page.getByRole('heading', { name: 'Integrations' })).toBeVisible()
  expect(callbacks).toEqual([])
})

test('the back button does not send the code again (§4.29)', async ({ page, account: _, google }) => {
  google.behaviour.consent = 'ask'
  await openIntegrations(page)
  await addWithConsent(page, 'Gmail')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(cardOf(page, 'Gmail').getByText('Connected', { exact: true })).toBeVisible()
  const callbacks = collectCallbacks(page)
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Allow' })).toBeVisible()
  await page.goForward()
  await expect(cardOf(page, 'Gmail').getByText('Connected', { exact: true })).toBeVisible()
  expect(callbacks).toEqual([])
})

test('a user who goes back from the consent page can connect again (§7.25)', async ({
  page,
  account: _,
  google,
}) => {
  google.behaviour.consent = 'ask'
  await openIntegrations(page)
  await addWithConsent(page, 'Gmail')
  await expect(page.getByRole('button', { name: 'Allow' })).toBeVisible()
  await page.goBack()
  await cardOf(page, 'Gmail').getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByText('Gmail connected successfully!')).toBeVisible()
})

test('a user who stops the loading of the consent page can connect again (§7.25)', async ({
  page,
  account: _,
  google,
  problems,
}) => {
  // Stopping also ends the reading of the list, which a change of the list starts at any time.
  problems.allow(/Failed to fetch \(\/api\/integrations\)/)
  google.behaviour.consent = 'ask'
  await openIntegrations(page)
  const stopped = page.waitForEvent('console', (message) => message.text() === 'stopped')
  await page.evaluate(() => {
    const stop = ({ canIntercept }: NavigateEvent) => {
      if (canIntercept) return
      navigation.removeEventListener('navigate', stop)
      // As the stop button of a browser does, when the page has just been requested.
      queueMicrotask(() => window.stop())
    }
    navigation.addEventListener('navigate', stop)
    navigation.addEventListener('navigateerror', () => console.debug('stopped'), { once: true })
  })
  await addWithConsent(page, 'Gmail')
  await stopped
  await cardOf(page, 'Gmail').getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByText('Gmail connected successfully!')).toBeVisible()
})

test('a callback link of another user connects nothing (§8.28)', async ({
  page,
  account: _,
  openAsOther,
  problems,
}) => {
  problems.expect(/Failed to connect Gmail/)
  const attacker = await openAsOther('/settings/integrations')
  await holdCallback(attacker)
  const returned = waitForReturn(attacker)
  await addWithConsent(attacker, 'Gmail')
  const link = await returned
  const callbacks = collectCallbacks(page)
  await page.goto(link)
  await expect(page.getByText('Failed to connect Gmail. Please try again.')).toBeVisible()
  await expect(
    page.getByText('This sign-in was started in another tab. Finish it there, or connect again here.'),
  ).toBeVisible()
  await expect(page).toHaveURL('/settings/integrations')
  await expect(page.getByText('No integrations available')).toBeVisible()
  expect(callbacks).toEqual([])
})

test('when the server refuses the code, the page shows the reason (§2.94, §8.28)', async ({
  page,
  account: _,
  google,
  problems,
}) => {
  problems.expect(/Failed to connect Gmail/)
  problems.expect(/status of (4|5)\d\d/)
  google.behaviour.issuesRefreshTokens = false
  await openIntegrations(page)
  await addWithConsent(page, 'Gmail')
  await expect(page.getByText('Failed to connect Gmail. Please try again.')).toBeVisible()
  await expect(page.getByText(/Google granted access for one hour only/)).toBeVisible()
  await expect(page).toHaveURL('/settings/integrations')
  await expect(cardOf(page, 'Gmail').getByRole('button', { name: 'Connect' })).toBeVisible()
})

test('a callback address without a service or a code shows an error and redirects to the integrations (§2.94, §5.17)', async ({
  page,
  account: _,
  problems,
}) => {
  for (const [path, message] of [
    ['/callback', 'Invalid service specified.'],
    ['/callback/gmail', 'No authorization code found in the callback URL.'],
  ] as const) {
    problems.expect(new RegExp(message))
    await page.goto(path)
    await expect(page.getByText(message)).toBeVisible()
    await expect(page).toHaveURL('/settings/integrations')
  }
})

test('a visitor who is not signed in sees the sign-in screen, and the granted consent is used after they sign in (§2.6)', async ({
  page,
}) => {
  // Signs in through the pages, so that the provider has a session for this browser.
  await signUp(page)
  await openIntegrations(page)
  const returned = waitForReturn(page)
  await page.route('**/callback/gmail?*', async (route) => route.abort())
  await addWithConsent(page, 'Gmail')
  const address = await returned
  await page.unroute('**/callback/gmail?*')
  await page.goto('/terms')
  await page.evaluate(() => localStorage.clear())
  const callbacks = collectCallbacks(page)
  await page.goto(address)
  await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  expect(callbacks).toEqual([])
  await page.getByRole('button', { name: 'Sign in with a local account' }).click()
  await expect(page.getByText('Gmail connected successfully!')).toBeVisible()
  expect(callbacks).toHaveLength(1)
})

for (const { look, viewport, colorScheme } of looks)
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test('the callback page is accessible (§2.91, §2.92, §2.93, §2.94)', async ({
      page,
      account: _,
      axe,
      problems,
    }) => {
      problems.expect(/No authorization code found/)
      await page.evaluate(() => localStorage.setItem('theme', 'system'))
      const release = await holdCallback(page)
      await openIntegrations(page)
      await addWithConsent(page, 'Gmail')
      await expect(page.getByText('Processing Gmail authorization...')).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Gmail Integration' })).toBeVisible()
      await axe(page)
      await page.clock.install()
      release()
      await expect(page.getByText('Gmail connected successfully!')).toBeVisible()
      await axe(page)
      await page.goto('/callback/gmail?error=access_denied')
      await expect(page.getByText('You did not allow access, so nothing was connected.')).toBeVisible()
      await axe(page)
    })
  })

import { input, openTab } from './support/chat-page.ts'
import { expect, looks, test } from './support/fixtures.ts'
import { createTestUser, signIn, signUp } from './support/users.ts'

const signInButton = { name: 'Sign in with a local account' }

for (const { look, viewport, colorScheme } of looks) {
  test(`the provider's pages are accessible (${look})`, async ({ browser, baseURL, axe, problems }) => {
    const context = await browser.newContext({
      viewport,
      colorScheme,
      ...(baseURL === undefined ? {} : { baseURL }),
    })
    await problems.watch(context)
    problems.expect(/401 \(Unauthorized\)/)
    const page = await context.newPage()
    await page.goto('/')
    await page.getByRole('button', { name: 'Sign in with Google' }).click()
    await expect(page.getByText('Google sign-in is not set up on this server.')).toBeVisible()
    await axe(page)
    await page.getByLabel('E-mail').fill('unknown@example.com')
    await page.getByLabel('Password').fill('wrong horse')
    await page.getByRole('button', { name: 'Show' }).click()
    await expect(page.getByLabel('Password')).toHaveAttribute('type', 'text')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('alert')).toHaveText('E-mail or password is wrong. Check both and try again.')
    await axe(page)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await expect(page.getByLabel('Name')).toBeFocused()
    await axe(page)
    await page.goto('/oidc/session/end')
    await axe(page)
    await context.close()
  })
}

test('a rejected token signs out and redirects to the home page (§2.11, §8.2)', async ({
  page,
  account: _,
  problems,
}) => {
  problems.expect(/401 \(Unauthorized\)/)
  await page.route('**/api/bots', (route) =>
    route.fulfill({ status: 401, json: { error: { code: 'unauthenticated', message: 'Sign in again.' } } }),
  )
  await page.goto('/settings/bots')
  await expect(page.getByRole('button', signInButton)).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/')
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('sign-in'))),
  ).toEqual([])
})

test('an unavailable provider does not sign users out (§2.52)', async ({ page, account: _, problems }) => {
  problems.expect(/503 \(Service Unavailable\)/)
  problems.expect(/fetching the data\. 503 /)
  await page.route('**/api/bots', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'identity_unavailable', message: 'Try again.' } } }),
  )
  await page.goto('/settings/bots')
  await expect(page.getByText('Error loading bot configurations')).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/settings/bots')
})

test('signing out from the menu ends the session in every tab and shows the sign-in screen (§2.18)', async ({
  page,
  context,
  account: user,
}) => {
  await page.goto('/settings/general')
  const other = await openTab(context, '/settings/general')
  await expect(other.getByText(user.email)).toBeVisible()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('button', signInButton)).toBeVisible()
  await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  await expect(page).toHaveURL('/')
  await expect(other.getByRole('button', signInButton)).toBeVisible()
  await page.goBack()
  await page.goto('/')
  await expect(page.getByRole('button', signInButton)).toBeVisible()
  await signIn(page, user)
})

test('a user who signs in after another user sees none of their data', async ({ page, user: _ }) => {
  await input(page).fill('A secret')
  await page.reload()
  await expect(input(page)).toHaveValue('A secret')
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('button', { name: 'Sign in with a local account' })).toBeVisible()
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('A secret')
  await signUp(page, createTestUser('Eve'))
  await expect(input(page)).toHaveValue('')
})

test('signing in returns to the page that was opened', async ({ account: user, openBrowser }) => {
  const other = await (await openBrowser()).newPage()
  await other.goto('/settings/general')
  await other.getByRole('button', signInButton).click()
  await other.getByLabel('E-mail').fill(user.email)
  await other.getByLabel('Password').fill(user.password)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await expect(other.getByText(user.email).first()).toBeVisible()
  expect(new URL(other.url()).pathname).toBe('/settings/general')
})

test('the loopback address redirects to the public address', async ({ page, product }) => {
  await page.goto(`${product.url.replace('localhost', '127.0.0.1')}/settings/general`)
  await expect(page.getByRole('button', signInButton)).toBeVisible()
  expect(new URL(page.url()).origin).toBe(product.url)
})

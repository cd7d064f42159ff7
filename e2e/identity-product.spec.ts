import { expect, looks, test } from './support/fixtures.ts'
import { signIn } from './support/sign-up.ts'

const signInButton = { name: 'Sign in with a local account' }

for (const { look, viewport, colorScheme } of looks) {
  test(`the provider's pages can be used by everyone (${look}) (§14.25)`, async ({
    browser,
    baseURL,
    axe,
    problems,
  }) => {
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
    await expect(page.getByText('Sign in with Google is not set up here.')).toBeVisible()
    await axe(page)
    await page.getByLabel('E-mail').fill('nobody@example.com')
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

test('a refused token leads to the root, signed out (§2.11, §8.2)', async ({ page, person: _, problems }) => {
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

test('a provider that is away signs nobody out (§2.52)', async ({ page, person: _, problems }) => {
  problems.expect(/503 \(Service Unavailable\)/)
  problems.expect(/fetching the data\. 503 /)
  await page.route('**/api/bots', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'identity_unavailable', message: 'Try again.' } } }),
  )
  await page.goto('/settings/bots')
  await expect(page.getByText('Error loading bot configurations')).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/settings/bots')
})

test('signing out from the menu ends it in every tab, for good (§2.18)', async ({
  page,
  context,
  person,
}) => {
  const other = await context.newPage()
  await other.goto('/settings/general')
  await expect(other.getByText(person.email)).toBeVisible()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('button', signInButton)).toBeVisible()
  await expect(other.getByRole('button', signInButton)).toBeVisible()
  await page.goBack()
  await page.goto('/')
  await expect(page.getByRole('button', signInButton)).toBeVisible()
  await signIn(page, person)
})

test('signing in leads back to where one was (§15.7)', async ({ page, person, openBrowser }) => {
  void page
  const other = await (await openBrowser()).newPage()
  await other.goto('/settings/general')
  await other.getByRole('button', signInButton).click()
  await other.getByLabel('E-mail').fill(person.email)
  await other.getByLabel('Password').fill(person.password)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await expect(other.getByText(person.email).first()).toBeVisible()
  expect(new URL(other.url()).pathname).toBe('/settings/general')
})

test('the other name of this machine leads to the one that signs in (§22.1)', async ({ page, product }) => {
  await page.goto(`${product.url.replace('localhost', '127.0.0.1')}/settings/general`)
  await expect(page.getByRole('button', signInButton)).toBeVisible()
  expect(new URL(page.url()).origin).toBe(product.url)
})

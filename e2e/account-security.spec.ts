import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BrowserContext, Page } from '@playwright/test'
import { expect, looks, test } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { productFolder, type Product } from './support/product.ts'
import { createTestUser, signIn, signUp } from './support/users.ts'

const signInButton = { name: 'Sign in with a local account' }

/** Opens 'Account and security' from the settings. */
async function openAccount(page: Page): Promise<void> {
  await page.goto('/settings/general')
  await page.getByRole('link', { name: 'Manage account and security' }).click()
  await expect(page.getByRole('heading', { name: 'Account and security' })).toBeVisible()
}

/** Creates an account, and signs in with it in another browser too. */
async function signInTwice(page: Page, openBrowser: () => Promise<BrowserContext>) {
  const user = await signUp(page)
  const other = await (await openBrowser()).newPage()
  await signIn(other, user)
  return { user, other }
}

/** Runs a command of the operator beside the running product. */
async function runUsers(product: Product, ...words: string[]): Promise<string> {
  const program = join(productFolder, 'server/dist/yonder.js')
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'users', ...words], {
    cwd: product.dataDir,
    env: { PATH: process.env['PATH'], DATA_DIR: product.dataDir, PUBLIC_URL: product.url },
  })
  return stdout
}

for (const { look, viewport, colorScheme } of looks) {
  test(`the password is changed with the keyboard alone (${look})`, async ({
    openBrowser,
    axe,
    problems,
  }) => {
    problems.expect(/401 \(Unauthorized\)/)
    const page = await (await openBrowser({ viewport, colorScheme })).newPage()
    await page.addInitScript(() => localStorage.setItem('theme', 'system'))
    const user = await signUp(page)
    await openAccount(page)
    await axe(page)
    await expectNoSidewaysScroll(page)
    await page.getByLabel('Current password').fill('wrong horse')
    await page.getByLabel('New password').fill('battery staple')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toHaveText(
      'The current password is wrong. The password was not changed.',
    )
    await axe(page)
    await page.getByLabel('Current password').focus()
    await page.keyboard.type(user.password)
    // 'Show' is between the two fields.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('battery staple')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status')).toHaveText(
      'Your password is changed. Every other browser is signed out.',
    )
    await page.getByRole('link', { name: 'Back to Yonder' }).click()
    await expect(page.getByText(user.email).first()).toBeVisible()
  })
}

test('the pages of the sign-in have the theme that was chosen in the app, from the first paint on and in every tab (§4.6)', async ({
  page,
  context,
}) => {
  const html = page.locator('html')
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const [light, dark] = ['rgb(251, 250, 249)', 'rgb(22, 23, 24)']
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  await page.getByRole('button', signInButton).click()
  await expect(page.getByLabel('Password')).toBeVisible()
  // Nothing was chosen, so the pages are light as the app is, whatever the system prefers.
  expect(await background()).toBe(light)

  // Records the theme when the body is created, which is before the first paint.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.body === null) return
      document.documentElement.dataset['first'] = document.documentElement.className
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })
  })
  const other = await context.newPage()
  await other.goto('/')
  await other.evaluate(() => localStorage.setItem('theme', 'dark'))
  await expect(html).toHaveClass('dark')
  await page.reload()
  await expect(html).toHaveAttribute('data-first', 'dark')
  expect(await background()).toBe(dark)
  await page.getByRole('link', { name: 'Create an account' }).click()
  await expect(page.getByLabel('Name')).toBeVisible()
  expect(await background()).toBe(dark)

  await other.evaluate(() => localStorage.setItem('theme', 'system'))
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(html).not.toHaveClass('dark')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(html).toHaveClass('dark')
})

for (const width of [1280, 390, 320]) {
  test(`'Account and security' with a long e-mail fits into a width of ${width} pixels, and shows local times`, async ({
    openBrowser,
    problems,
  }) => {
    problems.expect(/401 \(Unauthorized\)/)
    const viewport = { width, height: 780 }
    const browser = await openBrowser({ viewport, timezoneId: 'Pacific/Auckland' })
    const page = await browser.newPage()
    const user = {
      ...createTestUser(),
      email: `${'ada.lovelace.'.repeat(4)}${width}@${'example'.repeat(5)}.com`,
    }
    await signUp(page, user)
    await openAccount(page)
    await expectNoSidewaysScroll(page)
    const time = page.getByRole('listitem').first().locator('time').first()
    const local = await time.evaluate((element) => {
      const { dateTime } = element as HTMLTimeElement
      return new Date(dateTime).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
    })
    await expect(time).toHaveText(local)
    await page.getByLabel('Current password').fill('wrong horse')
    await page.getByLabel('New password').fill('battery staple')
    await page.keyboard.press('Enter')
    // The field to correct has the focus.
    await expect(page.getByLabel('Current password')).toBeFocused()
    await expectNoSidewaysScroll(page)
  })
}

test('a change of password signs out the other browser at once, and keeps this one', async ({
  page,
  openBrowser,
  problems,
}) => {
  problems.expect(/40[01] \((Unauthorized|Bad Request)\)/)
  const { user, other } = await signInTwice(page, openBrowser)
  await openAccount(page)
  await expect(page.getByRole('listitem')).toHaveCount(2)
  await page.getByLabel('Current password').fill(user.password)
  await page.getByLabel('New password').fill('battery staple')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await expect(other.getByRole('button', signInButton)).toBeVisible()
  await page.goto('/')
  await expect(page.getByText(`Welcome, ${user.name}.`)).toBeVisible()
})

test('signing out everywhere ends this browser and the other one at once, and both need the password again', async ({
  page,
  openBrowser,
  problems,
}) => {
  problems.expect(/40[01] \((Unauthorized|Bad Request)\)/)
  const { other } = await signInTwice(page, openBrowser)
  await openAccount(page)
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(page.getByRole('heading', { name: 'You are signed out everywhere' })).toBeVisible()
  await expect(other.getByRole('button', signInButton)).toBeVisible()
  await page.getByRole('link', { name: 'Go to Yonder' }).click()
  for (const browser of [page, other]) {
    await browser.getByRole('button', signInButton).click()
    await expect(browser.getByLabel('Password')).toBeVisible()
  }
})

test('a disabled user loses every page at once and cannot sign in until enabled', async ({
  page,
  product,
  problems,
}) => {
  problems.expect(/40[013] \((Unauthorized|Bad Request|Forbidden)\)/)
  const user = await signUp(page)
  await runUsers(product, 'disable', user.email)
  await expect(page.getByRole('button', signInButton)).toBeVisible()
  await page.getByRole('button', signInButton).click()
  await page.getByLabel('E-mail').fill(user.email)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'This account is disabled' })).toBeVisible()
  await runUsers(product, 'enable', user.email)
  await signIn(page, user)
})

test('the link of the operator sets a new password', async ({
  page,
  openBrowser,
  product,
  axe,
  problems,
}) => {
  problems.expect(/40[01] \((Unauthorized|Bad Request)\)/)
  const user = await signUp(page, createTestUser('Grace Example'))
  const output = await runUsers(product, 'reset', user.email)
  const other = await (await openBrowser({ viewport: { width: 390, height: 844 } })).newPage()
  await other.goto(/http\S+/.exec(output)?.[0] ?? '')
  await axe(other)
  await other.getByLabel('New password').fill('battery staple')
  await other.getByRole('button', { name: 'Set password' }).click()
  await expect(other.getByRole('heading', { name: 'Your password is set' })).toBeVisible()
  await expect(page.getByRole('button', signInButton)).toBeVisible()
  await signIn(other, { ...user, password: 'battery staple' })
})

import { expect, type BrowserContext, type BrowserContextOptions, type Page } from '@playwright/test'
import type { GoogleStandIn } from '../../server/testing/google-stand-in/start-google-stand-in.ts'
import { createProblems, type Problems } from './browser-problems.ts'
import { checkAccessibility } from './page-checks.ts'
import type { Product, ProductOptions } from './product.ts'
import { test as base, type Servers } from './servers.ts'
import { createTestUser, signInQuickly, signUpQuickly, type TestUser } from './users.ts'

/** The configurations of the product that tests use. */
export type Installation = 'plain' | 'closed' | 'registry' | 'google' | 'self-service'

interface TestFixtures {
  /** Which product a test uses: `test.use({ installation: 'closed' })`. */
  readonly installation: Installation
  /** The running product, shared by the tests of a worker that use the same installation. */
  readonly product: Product
  /** Fails the test on console errors, uncaught errors and policy violations that it did not expect. */
  readonly problems: Problems
  /** Expects that axe finds no violation on the page. */
  readonly axe: typeof checkAccessibility
  /** A new user, signed in on `page`, which is empty until the test opens a screen. */
  readonly account: TestUser
  /** The same user; `page` shows the home page. */
  readonly user: TestUser
  /**
   * Opens another browser, for another user or device. Its problems are collected too, and it is closed after the test.
   */
  readonly openBrowser: (options?: BrowserContextOptions) => Promise<BrowserContext>
  /** Opens the page with this address in another browser, in which this user is signed in. */
  readonly openDevice: (user: TestUser, url: string, options?: BrowserContextOptions) => Promise<Page>
  /** Opens the page with this address in another browser, in which another new user is signed in. */
  readonly openAsOther: (url: string) => Promise<Page>
  /** A stand-in for Google. At the start of every test it grants every consent. */
  readonly google: GoogleStandIn
}

export const test = base.extend<TestFixtures>({
  installation: ['plain', { option: true }],
  product: async ({ installation, products, registry, sharedGoogle }, use) => {
    await use(await products.get(installation, optionsOf(installation, { registry, sharedGoogle })))
  },
  baseURL: async ({ product }, use) => {
    await use(product.url)
  },
  problems: [
    async ({ context }, use, testInfo) => {
      const problems = createProblems()
      await problems.watch(context)
      await use(problems)
      // When the test has failed, its own error is more useful than errors in the console.
      if (testInfo.errors.length === 0) await problems.check()
    },
    { auto: true },
  ],
  axe: async ({}, use) => {
    await use(checkAccessibility)
  },
  account: async ({ page, product, problems: _watched }, use) => {
    const user = createTestUser()
    await signUpQuickly(page, product.url, user)
    await use(user)
  },
  user: async ({ page, account }, use) => {
    await page.goto('/')
    await expect(page.getByText(`Welcome, ${account.name}.`)).toBeVisible()
    // The page is ready when it has the bots. Then the product has stored the user, too.
    await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)
    await use(account)
  },
  openBrowser: async ({ browser, baseURL, problems }, use) => {
    const opened: BrowserContext[] = []
    await use(async (options = {}) => {
      const context = await browser.newContext({ ...(baseURL === undefined ? {} : { baseURL }), ...options })
      opened.push(context)
      await problems.watch(context)
      return context
    })
    await Promise.all(opened.map((context) => context.close()))
  },
  openDevice: async ({ openBrowser, product }, use) => {
    await use(async (user, url, options) => {
      const device = await (await openBrowser(options)).newPage()
      await signInQuickly(device, product.url, user)
      await device.goto(url)
      return device
    })
  },
  openAsOther: async ({ openBrowser, product }, use) => {
    await use(async (url) => {
      const other = await (await openBrowser()).newPage()
      await signUpQuickly(other, product.url, createTestUser('Grace Example'))
      await other.goto(url)
      return other
    })
  },
  google: [
    async ({ sharedGoogle }, use) => {
      sharedGoogle.reset()
      await use(sharedGoogle)
    },
    // Reset before every test, because the browser tests of a worker share it.
    { auto: true },
  ],
})

/** How the product of an installation differs from the default one. */
function optionsOf(
  installation: Installation,
  { registry, sharedGoogle }: Pick<Servers, 'registry' | 'sharedGoogle'>,
): ProductOptions {
  switch (installation) {
    case 'plain':
      return {}
    case 'closed':
      return { settings: { SIGN_UP: 'closed' }, realPasswords: true }
    case 'self-service':
      return { settings: { SELF_SERVICE: 'on' } }
    case 'registry':
      return { settings: { CONNECTOR_REGISTRY_URL: registry.url, ALLOWED_PRIVATE_HOSTS: '127.0.0.1:*' } }
    case 'google': {
      const services = ['tavily', 'brave-search'].map((name) => ({
        name,
        url: `https://${name}.example/mcp`,
      }))
      return { settings: { ...sharedGoogle.environment, API_KEY_SERVICES: JSON.stringify(services) } }
    }
  }
}

export { expect } from '@playwright/test'

const allLooks = [
  { look: 'wide, light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { look: 'narrow, dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  { look: 'wide, dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  { look: 'narrow, light', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
] as const

/**
 * The window sizes and themes in which every screen is tested. Size and theme are independent, so two looks
 * cover both sizes and both themes. `EVERY_LOOK=1` tests all four.
 */
export const looks = process.env['EVERY_LOOK'] === undefined ? allLooks.slice(0, 2) : allLooks

/** Changes the look of a page of the product without a reload, as if another tab had stored the theme. */
export async function setLook(page: Page, look: Omit<(typeof allLooks)[number], 'look'>): Promise<void> {
  await page.setViewportSize(look.viewport)
  await page.emulateMedia({ colorScheme: look.colorScheme })
  await page.evaluate(() => {
    localStorage.setItem('theme', 'system')
    dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
  })
  await expect(page.locator('html.dark')).toHaveCount(look.colorScheme === 'dark' ? 1 : 0)
}

import type { BrowserContext, BrowserContextOptions } from '@playwright/test'
import type { GoogleStandIn } from '../../server/testing/google-stand-in/start-google-stand-in.ts'
import { arriveSignedIn } from './arrive-signed-in.ts'
import { checkAccessibility } from './check-accessibility.ts'
import { test as base } from './servers.ts'
import type { Servers } from './servers.ts'
import { inventPerson } from './sign-up.ts'
import type { Person } from './sign-up.ts'
import type { Product } from './start-product.ts'
import { createProblems } from './watch-problems.ts'
import type { Problems } from './watch-problems.ts'

/** The ways in which the product is installed for tests. */
export type Installation = 'plain' | 'closed' | 'registry' | 'google'

interface TestFixtures {
  /** Which product a test uses: `test.use({ installation: 'closed' })`. */
  readonly installation: Installation
  /** The running product, shared by the tests of a worker that use the same installation. */
  readonly product: Product
  /** Fails the test on console errors, uncaught errors and policy violations that it did not announce. */
  readonly problems: Problems
  /** Expects no finding of axe on the page. */
  readonly axe: typeof checkAccessibility
  /** A person of this test alone, with an account, signed in on `page`, which shows the home page. */
  readonly person: Person
  /** A second browser, for a second person or device. It is watched and closed like the first. */
  readonly openBrowser: (options?: BrowserContextOptions) => Promise<BrowserContext>
  /** Serves as Google; it agrees to everything at the start of every test. */
  readonly google: GoogleStandIn
}

export const test = base.extend<TestFixtures>({
  installation: ['plain', { option: true }],
  product: async ({ installation, products, registry, sharedGoogle }, use) => {
    await use(await products.get(installation, settingsOf(installation, { registry, sharedGoogle })))
  },
  baseURL: async ({ product }, use) => {
    await use(product.url)
  },
  problems: [
    async ({ context }, use, testInfo) => {
      const problems = createProblems()
      await problems.watch(context)
      await use(problems)
      // A test that failed already says more than what it left in the console.
      if (testInfo.errors.length === 0) problems.check()
    },
    { auto: true },
  ],
  axe: async ({}, use) => {
    await use(checkAccessibility)
  },
  person: async ({ page, product, problems: _watched }, use) => {
    await use(await arriveSignedIn(page, product.url, inventPerson()))
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
  google: [
    async ({ sharedGoogle }, use) => {
      sharedGoogle.reset()
      await use(sharedGoogle)
    },
    // What one test has changed at Google must not reach the next one, whether that uses Google or not.
    { auto: true },
  ],
})

/** The environment of an installation, beyond what every test sets. */
function settingsOf(
  installation: Installation,
  { registry, sharedGoogle }: Pick<Servers, 'registry' | 'sharedGoogle'>,
): Readonly<Record<string, string>> {
  switch (installation) {
    case 'plain':
      return {}
    case 'closed':
      return { SIGN_UP: 'closed' }
    case 'registry':
      return { CONNECTOR_REGISTRY_URL: registry.url, ALLOWED_PRIVATE_HOSTS: '127.0.0.1:*' }
    case 'google': {
      const services = ['tavily', 'brave-search'].map((name) => ({
        name,
        url: `https://${name}.example/mcp`,
      }))
      return { ...sharedGoogle.environment, API_KEY_SERVICES: JSON.stringify(services) }
    }
  }
}

export { expect } from '@playwright/test'

const everyLook = [
  { look: 'wide, light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { look: 'narrow, dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  { look: 'wide, dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  { look: 'narrow, light', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
] as const

/**
 * The sizes and themes in which every screen must hold. Sizes change no colours and themes no sizes, so two looks show
 * each of them; `EVERY_LOOK=1` takes all four.
 */
export const looks = process.env['EVERY_LOOK'] === undefined ? everyLook.slice(0, 2) : everyLook

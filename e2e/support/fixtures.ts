import { test as base } from '@playwright/test'
import type { BrowserContext, BrowserContextOptions } from '@playwright/test'
import { arriveSignedIn } from './arrive-signed-in.ts'
import { checkAccessibility } from './check-accessibility.ts'
import { inventPerson } from './sign-up.ts'
import type { Person } from './sign-up.ts'
import { startProduct } from './start-product.ts'
import type { Product } from './start-product.ts'
import { createProblems } from './watch-problems.ts'
import type { Problems } from './watch-problems.ts'

interface TestFixtures {
  /** Fails the test on console errors, uncaught errors and policy violations that it did not announce. */
  readonly problems: Problems
  /** Expects no finding of axe on the page. */
  readonly axe: typeof checkAccessibility
  /** A person of this test alone, with an account, signed in on `page`, which shows the home page. */
  readonly person: Person
  /** A second browser, for a second person or device. It is watched and closed like the first. */
  readonly openBrowser: (options?: BrowserContextOptions) => Promise<BrowserContext>
}

interface WorkerFixtures {
  /** Settings of the product beyond the tests' own: `test.use({ productSettings: { SIGN_UP: 'closed' } })`. */
  readonly productSettings: Readonly<Record<string, string>>
  /** The running product, shared by the tests of a worker that have the same settings. */
  readonly product: Product
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  productSettings: [{}, { option: true, scope: 'worker' }],
  product: [
    async ({ productSettings }, use) => {
      const product = await startProduct(productSettings)
      await use(product)
      await product.remove()
    },
    { scope: 'worker' },
  ],
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
})

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

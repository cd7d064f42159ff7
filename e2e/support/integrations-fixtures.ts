import type { Locator, Page } from '@playwright/test'
import { createGmailApi } from '../../server/testing/google/gmail-api.ts'
import { startGoogleStandIn } from '../../server/testing/google-stand-in/start-google-stand-in.ts'
import type { GoogleStandIn } from '../../server/testing/google-stand-in/start-google-stand-in.ts'
import { expect, test as base } from './fixtures.ts'

interface TestFixtures {
  /** What the product takes for Google; it agrees to everything at the start of every test. */
  readonly google: GoogleStandIn
}

interface WorkerFixtures {
  /** The mailboxes at Google. */
  readonly gmail: ReturnType<typeof createGmailApi>
  readonly sharedGoogle: GoogleStandIn
}

/** The product beside a stand-in for Google, with two services that have a key. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  gmail: [
    async ({}, use) => {
      await use(createGmailApi())
    },
    { scope: 'worker' },
  ],
  sharedGoogle: [
    async ({ gmail }, use) => {
      const google = await startGoogleStandIn({ apis: [gmail] })
      await use(google)
      await google.close()
    },
    { scope: 'worker' },
  ],
  productSettings: [
    async ({ sharedGoogle }, use) => {
      const services = ['tavily', 'brave-search'].map((name) => ({
        name,
        url: `https://${name}.example/mcp`,
      }))
      await use({ ...sharedGoogle.environment, API_KEY_SERVICES: JSON.stringify(services) })
    },
    { scope: 'worker' },
  ],
  google: [
    async ({ sharedGoogle }, use) => {
      sharedGoogle.reset()
      await use(sharedGoogle)
    },
    // What one test has made of Google must not reach the next one, whether that looks at Google or not.
    { auto: true },
  ],
})

export async function openIntegrations(page: Page): Promise<void> {
  await page.goto('/settings/integrations')
  await expect(page.getByRole('heading', { name: 'Integrations' })).toBeVisible()
}

export function cardOf(page: Page, title: string): Locator {
  return page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
}

/** Opens the form that adds, and selects. */
export async function selectNew(page: Page, title: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Add Integration' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add New Integration' })
  await dialog.getByLabel('Integration *').selectOption(title)
  return dialog
}

/** Adds an integration that needs consent; the browser leaves for Google. */
export async function addWithConsent(page: Page, title: string): Promise<void> {
  const dialog = await selectNew(page, title)
  await dialog.getByRole('button', { name: 'Add Integration' }).click()
}

/** Adds one that has a key. */
export async function addWithKey(page: Page, title: string, key: string): Promise<void> {
  const dialog = await selectNew(page, title)
  await dialog.getByLabel('API Key *').fill(key)
  await dialog.getByRole('button', { name: 'Add Integration' }).click()
  await expect(page.getByText(`Integration "${title}" added successfully`)).toBeVisible()
  await expect(dialog).toBeHidden()
}

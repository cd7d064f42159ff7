import type { Locator, Page } from '@playwright/test'
import { expect, test as base } from './fixtures.ts'

/** Tests of a product that uses a stand-in for Google and offers two API-key services. */
export const test = base.extend({ installation: 'google' })

export async function openIntegrations(page: Page): Promise<void> {
  await page.goto('/settings/integrations')
  await expect(page.getByRole('heading', { name: 'Integrations' })).toBeVisible()
}

export function cardOf(page: Page, title: string): Locator {
  return page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
}

/** Opens the form for a new integration, selects the integration with this title, and returns the form. */
export async function selectNew(page: Page, title: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Add Integration' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add New Integration' })
  await dialog.getByLabel('Integration *').selectOption(title)
  return dialog
}

/** Adds an integration that needs consent. The browser is then redirected to Google. */
export async function addWithConsent(page: Page, title: string): Promise<void> {
  const dialog = await selectNew(page, title)
  await dialog.getByRole('button', { name: 'Add Integration' }).click()
}

/** Adds an integration with an API key. */
export async function addWithKey(page: Page, title: string, key: string): Promise<void> {
  const dialog = await selectNew(page, title)
  await dialog.getByLabel('API Key *').fill(key)
  await dialog.getByRole('button', { name: 'Add Integration' }).click()
  await expect(page.getByText(`Integration "${title}" added successfully`)).toBeVisible()
  await expect(dialog).toBeHidden()
}

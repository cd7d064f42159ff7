import type { Locator, Page } from '@playwright/test'
import { expect, test as base } from './fixtures.ts'

/** Tests of a product with a connector registry, which may connect to MCP servers on this machine. */
export const test = base.extend({ installation: 'registry' })

export { expect, looks } from './fixtures.ts'

export async function openConnectors(page: Page): Promise<void> {
  await page.goto('/settings/connectors')
  await expect(page.getByRole('heading', { name: 'Connectors' })).toBeVisible()
  await expect(connectorRow(page, 'default')).toBeVisible()
}

/** Returns the row of a connector by its exact name. */
export function connectorRow(page: Page, name: string): Locator {
  return page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) })
}

export async function addConnector(page: Page, name: string, url: string): Promise<void> {
  await page.getByRole('button', { name: 'Add Connector' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add New Connector' })
  await dialog.getByLabel('Name *').fill(name)
  await dialog.getByLabel('URL *').fill(url)
  await dialog.getByRole('button', { name: 'Add Connector' }).click()
  await expect(page.getByText(`Connector "${name}" added successfully`)).toBeVisible()
  await expect(dialog).toBeHidden()
}

export async function connect(page: Page, name: string): Promise<void> {
  await connectorRow(page, name).getByRole('button', { name: 'Connect', exact: true }).click()
  // The message of an earlier connection may still be visible.
  await expect(page.getByText(`Connector "${name}" connected`).last()).toBeVisible()
  await expect(connectorRow(page, name).getByText('Connected', { exact: true })).toBeVisible()
}

import type { Page } from '@playwright/test'
import { expect, test } from './support/fixtures.ts'
import { inventPerson, signIn, signUp } from './support/sign-up.ts'

// Several screens in one test.
test.describe.configure({ timeout: 60_000 })

const bots = (page: Page) => page.getByRole('combobox', { name: 'Bot' })
const input = (page: Page) => page.getByPlaceholder('Type your message...')

async function addBot(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add Bot' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add New Bot' })
  await dialog.getByLabel('Name *').fill(name)
  await dialog.getByLabel('Model *').fill('demo')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
}

test('bots that change in one tab change in the others, where they are chosen and listed (§2.23)', async ({
  page,
  person,
  context,
  openBrowser,
}) => {
  await page.goto('/settings/bots')
  const [home, device] = [await context.newPage(), await (await openBrowser()).newPage()]
  await home.goto('/')
  await expect(bots(home)).toHaveText('Yonder Demo (demo)')
  await signIn(device, person)
  await device.goto('/settings/bots')
  await expect(device.getByRole('listitem').filter({ hasText: 'Yonder Demo' })).toBeVisible()

  await addBot(page, 'Owl')
  await expect(bots(home).getByRole('option', { name: 'Owl (demo)' })).toBeAttached()
  await expect(device.getByRole('listitem').filter({ hasText: 'Owl' })).toBeVisible()

  await bots(home).selectOption('Owl')
  await page.getByRole('listitem').filter({ hasText: 'Owl' }).getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Name *').fill('Eagle')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  // It is still the chosen one.
  await expect(bots(home)).toHaveValue('Eagle')
  await expect(device.getByRole('listitem').filter({ hasText: 'Eagle' })).toBeVisible()
  await expect(device.getByRole('listitem').filter({ hasText: 'Owl' })).toBeHidden()
})

test('a connector that is connected in one tab is so in the other (§2.58)', async ({
  page,
  person: _,
  context,
}) => {
  await page.goto('/settings/connectors')
  const other = await context.newPage()
  await other.goto('/settings/connectors')
  const row = (tab: Page) => tab.getByRole('listitem').filter({ hasText: 'default' })
  await expect(row(other).getByText('Connected', { exact: true })).toBeVisible()
  await row(page).getByRole('button', { name: 'Disconnect' }).click()
  await expect(row(other).getByText('Disconnected', { exact: true })).toBeVisible()
  await row(other).getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(row(page).getByText('Connected', { exact: true })).toBeVisible()
})

test('who signs in after somebody else finds nothing of theirs (§15.12)', async ({ page, person: _ }) => {
  await input(page).fill('A secret')
  await page.reload()
  await expect(input(page)).toHaveValue('A secret')
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('button', { name: 'Sign in with a local account' })).toBeVisible()
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('A secret')
  await signUp(page, inventPerson('Eve'))
  await expect(input(page)).toHaveValue('')
})

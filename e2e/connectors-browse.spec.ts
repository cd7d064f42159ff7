import type { Locator, Page } from '@playwright/test'
import {
  addConnector,
  connectorRow,
  expect,
  looks,
  openConnectors,
  test,
} from './support/connector-fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'

/**
 * Opens the catalogue. Opens it again while it shows the shipped list, because the registry is read in the background.
 */
async function browse(page: Page): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name: 'Browse Available Connectors' })
  await expect(async () => {
    await openConnectors(page)
    await page.getByRole('button', { name: 'Browse Connectors' }).click()
    await expect(entry(dialog, 'Weather')).toBeVisible({ timeout: 2_000 })
  }).toPass()
  return dialog
}

function entry(dialog: Locator, title: string): Locator {
  return dialog.getByRole('listitem').filter({ has: dialog.page().getByText(title, { exact: true }) })
}

test('a user adds a connector from the catalogue, which is not connected yet (§2.66, §2.67, §4.27, §7.19, §8.32)', async ({
  page,
  account: _,
}) => {
  const dialog = await browse(page)
  const weather = entry(dialog, 'Weather')
  await expect(weather.getByText('by example.com')).toBeVisible()
  await expect(weather.getByText('What weather is good for.')).toBeVisible()
  await expect(weather.getByText('Config: com.example/weather')).toBeVisible()

  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/mcp-server', async (route) => {
    await held
    await route.continue()
  })
  await weather.getByRole('button', { name: 'Add' }).click()
  await expect(weather.getByRole('button', { name: 'Adding...' })).toBeVisible()
  release()
  await expect(page.getByText('Connector "Weather" added successfully')).toBeVisible()
  await expect(weather.getByText('Added', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.reload()
  await expect(connectorRow(page, 'Weather').getByText('Disconnected', { exact: true })).toBeVisible()
  await expect(connectorRow(page, 'Weather').getByText('https://weather.example/mcp')).toBeVisible()
})

test('a connector that needs a token opens the form first, and saving returns to the catalogue', async ({
  page,
  account: _,
}) => {
  const dialog = await browse(page)
  await entry(dialog, 'Vault').getByRole('button', { name: 'Add' }).click()
  const form = page.getByRole('dialog', { name: 'Add New Connector' })
  await expect(form.getByLabel('Name *')).toHaveValue('Vault')
  await expect(form.getByLabel('URL *')).toHaveValue('https://vault.example/mcp')
  await expect(form.getByLabel('Token (Optional)')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(form).toBeHidden()
  await entry(dialog, 'Vault').getByRole('button', { name: 'Add' }).click()
  await page.keyboard.type('vault-0123456789')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Connector "Vault" added successfully')).toBeVisible()
  await expect(entry(dialog, 'Vault').getByText('Added', { exact: true })).toBeVisible()
})

test('adding a connector shows the reason when it fails (§8.22)', async ({ page, account: _, problems }) => {
  problems.expect(/409 \(Conflict\)/)
  problems.expect(/Failed to add connector/)
  const dialog = await browse(page)
  await page.route('**/api/mcp-server', (route) =>
    route.fulfill({ status: 409, json: { error: { code: 'conflict', message: 'You have too many.' } } }),
  )
  await entry(dialog, 'Weather').getByRole('button', { name: 'Add' }).click()
  await expect(page.getByText('Failed to add connector: You have too many.')).toBeVisible()
  await expect(entry(dialog, 'Weather').getByRole('button', { name: 'Add' })).toBeEnabled()
})

test('a catalogue that cannot be loaded shows the reason, and Try Again loads it (§2.67, §8.23)', async ({
  page,
  account: _,
  problems,
}) => {
  problems.expect(/503/)
  await openConnectors(page)
  await page.route('**/api/browse-connectors', (route) => route.fulfill({ status: 503, body: '' }))
  await page.getByRole('button', { name: 'Browse Connectors' }).click()
  const dialog = page.getByRole('dialog', { name: 'Browse Available Connectors' })
  await expect(dialog.getByText('An error occurred while fetching the data.')).toBeVisible()
  await page.unroute('**/api/browse-connectors')
  await dialog.getByRole('button', { name: 'Try Again' }).click()
  await expect(dialog.getByRole('button', { name: 'Add' }).first()).toBeVisible()
})

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test.beforeEach(async ({ page, account: _ }) => {
      await page.evaluate(() => localStorage.setItem('theme', 'system'))
    })

    test('the catalogue can be searched and is accessible', async ({ page, account: _, axe }) => {
      await openConnectors(page)
      await addConnector(page, 'Mine', 'https://weather.example/mcp')
      const dialog = await browse(page)
      await dismissToasts(page)
      await expect(entry(dialog, 'Weather').getByText('Added', { exact: true })).toBeVisible()
      await expect(dialog.getByRole('listitem')).toHaveCount(40)
      await dialog.getByRole('button', { name: 'Show more (22)' }).click()
      await expect(dialog.getByRole('listitem')).toHaveCount(62)
      await expectNoSidewaysScroll(page)
      await axe(page)
      await dialog.getByLabel('Search connectors').fill('vault GOOD')
      await expect(dialog.getByRole('listitem')).toHaveCount(1)
      await dialog.getByLabel('Search connectors').fill('nothing like it')
      await expect(dialog.getByText('No connectors found matching "nothing like it"')).toBeVisible()
      await axe(page)
    })
  })
}

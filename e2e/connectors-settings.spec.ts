import { addConnector, connectorRow, expect, openConnectors, test } from './support/connector-fixtures.ts'
import { recordResponses } from './support/page-checks.ts'

test('a new user has only the default connector; they add another one, connect it and disconnect it (§2.55, §2.56, §2.58, §2.59, §2.61, §4.27, §6.4, §7.14, §7.15, §7.18, §8.32)', async ({
  page,
  account: _,
  everything,
}) => {
  await openConnectors(page)
  await expect(page.getByText('Manage your connector configurations')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Browse Connectors' })).toBeVisible()
  const defaultRow = connectorRow(page, 'default')
  await expect(defaultRow.getByText('Connected', { exact: true })).toBeVisible()
  await expect(defaultRow.getByRole('button')).toHaveText(['Configure', 'Disconnect'])
  await expect(page.getByText('No custom connector configurations found')).toBeVisible()

  const name = 'Schön / 100% 🚀'
  await addConnector(page, name, everything.url)
  const row = connectorRow(page, name)
  await expect(row.getByText('Disconnected')).toBeVisible()
  await expect(row.getByText(everything.url)).toBeVisible()

  // The request is held until the test has seen the busy row.
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/connect', async (route) => {
    await held
    await route.continue()
  })
  await row.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(row.getByRole('button', { name: 'Toggling...' })).toBeVisible()
  release()
  await expect(page.getByText(`Connector "${name}" connected`)).toBeVisible()
  await expect(row.getByText('Connected', { exact: true })).toBeVisible()

  await page.reload()
  await row.getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByText(`Connector "${name}" disconnected`)).toBeVisible()
  await expect(row.getByText('Disconnected', { exact: true })).toBeVisible()
})

test('an unreachable connector shows the reason, also after a reload (§2.58, §4.27, §8.20)', async ({
  page,
  account: _,
  nowhere,
  problems,
}) => {
  problems.expect(/the server responded with a status of 5\d\d/)
  problems.expect(/Failed to toggle connector "Gone"/)
  await openConnectors(page)
  await addConnector(page, 'Gone', nowhere)
  const row = connectorRow(page, 'Gone')
  await row.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(
    page.getByText(
      'Failed to toggle connector "Gone": The server refused the connection. Check the address, and that the server is running.',
    ),
  ).toBeVisible()
  await expect(row.getByText('Failed', { exact: true })).toBeVisible()
  await page.reload()
  await expect(
    row.getByText('The server refused the connection. Check the address, and that the server is running.'),
  ).toBeVisible()
  await expect(row.getByRole('button', { name: 'Connect', exact: true })).toBeVisible()
})

test('the form reports missing fields and keeps the entered values when saving fails (§5.10, §8.18, §8.34)', async ({
  page,
  account: _,
  problems,
}) => {
  problems.expect(/409 \(Conflict\)/)
  problems.expect(/Failed to save connector/)
  await openConnectors(page)
  await page.getByRole('button', { name: 'Add Connector' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add New Connector' })
  await dialog.getByRole('button', { name: 'Add Connector' }).click()
  await expect(dialog.getByText('Server name is required')).toBeVisible()
  await expect(dialog.getByText('URL is required')).toBeVisible()
  await expect(dialog.getByLabel('Name *')).toBeFocused()
  await dialog.getByLabel('Name *').fill('Default')
  await dialog.getByLabel('URL *').fill('no address at all')
  await dialog.getByLabel('URL *').press('Enter')
  await expect(
    page.getByText('Failed to save connector: The name "Default" is reserved for a default connector.'),
  ).toBeVisible()
  await expect(dialog.getByLabel('URL *')).toHaveValue('no address at all')
  await dialog.getByLabel('Name *').fill('Odd')
  await dialog.getByRole('button', { name: 'Add Connector' }).click()
  await expect(connectorRow(page, 'Odd').getByText('no address at all')).toBeVisible()
})

test('a user edits a connector, and its token is never sent back (§2.61, §2.62, §2.74, §5.16, §7.16, §8.32)', async ({
  page,
  account: _,
  nowhere,
}) => {
  await openConnectors(page)
  await addConnector(page, 'Mine', nowhere)
  await connectorRow(page, 'Mine').getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Connector' })
  const token = 'mine-0123456789abcdef'
  await dialog.getByLabel('Token (Optional)').fill(token)
  await dialog.getByLabel('Name of a tool to allow').fill('  read  ')
  await dialog.getByLabel('Name of a tool to allow').press('Enter')
  await dialog.getByLabel('Name of a tool to allow').fill('read')
  await dialog.getByRole('button', { name: 'Allow', exact: true }).click()
  await expect(dialog.getByText('Allowed Tools (1)')).toBeVisible()
  const responses = await recordResponses(page, '/api/mcp-servers')
  await dialog.getByLabel('Name *').fill('Ours')
  await dialog.getByRole('button', { name: 'Update Connector' }).click()
  await expect(page.getByText('Connector "Ours" updated successfully')).toBeVisible()

  await page.reload()
  await expect(connectorRow(page, 'Ours')).toBeVisible()
  expect(responses.at(-1)).toContain('mine••••••••cdef')
  for (const response of responses) expect(response).not.toContain(token)
  await connectorRow(page, 'Ours').getByRole('button', { name: 'Edit' }).click()
  await expect(dialog.getByLabel('Token (Optional)')).toHaveAttribute('type', 'password')
  await expect(dialog.getByText(/Stored: mine••••••••cdef/)).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Remove read' })).toBeVisible()
  await dialog.getByLabel('URL *').fill(`${nowhere}/other`)
  await expect(
    dialog.getByText(/will be removed when you save\. Enter the value for the new address/),
  ).toBeVisible()
  await dialog.getByRole('button', { name: 'Update Connector' }).click()
  await expect(connectorRow(page, 'Ours').getByText(`${nowhere}/other`)).toBeVisible()
  await connectorRow(page, 'Ours').getByRole('button', { name: 'Edit' }).click()
  await expect(dialog.getByLabel('Token (Optional)')).toHaveValue('')
  await expect(dialog.getByText('All tools need confirmation')).toBeVisible()
})

test('a user deletes a connector after confirming (§2.59, §4.30, §7.17, §8.32)', async ({
  page,
  account: _,
  nowhere,
}) => {
  await openConnectors(page)
  await addConnector(page, 'Short-lived', nowhere)
  const row = connectorRow(page, 'Short-lived')
  await row.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete Connector' })
  await expect(
    question.getByText('Are you sure you want to delete this connector? This action cannot be undone.'),
  ).toBeVisible()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(row).toBeVisible()
  await row.getByRole('button', { name: 'Delete' }).click()
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Connector deleted successfully')).toBeVisible()
  await page.reload()
  await expect(page.getByText('No custom connector configurations found')).toBeVisible()
})

test('when the list cannot be loaded, Try again reloads the page (§2.57)', async ({
  page,
  account: _,
  problems,
}) => {
  problems.expect(/503/)
  await page.route('**/api/mcp-servers', (route) => route.fulfill({ status: 503, body: '' }))
  await page.goto('/settings/connectors')
  await expect(page.getByText('Error loading connector configurations')).toBeVisible()
  await page.unroute('**/api/mcp-servers')
  await page.evaluate(() => Object.assign(window, { isOld: true }))
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(connectorRow(page, 'default')).toBeVisible()
  expect(await page.evaluate(() => 'isOld' in window)).toBe(false)
})

test('a user manages connectors with the keyboard alone, and the focus is never lost', async ({
  page,
  account: _,
  everything,
}) => {
  await openConnectors(page)
  await page.getByRole('button', { name: 'Add Connector' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Typed')
  await page.keyboard.press('Tab')
  await page.keyboard.type(everything.url)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Connector "Typed" added successfully')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add Connector' })).toBeFocused()

  const row = connectorRow(page, 'Typed')
  const toggle = row.getByRole('button', { name: 'Connect', exact: true })
  await toggle.focus()
  await page.keyboard.press('Enter')
  await expect(row.getByText('Connected', { exact: true })).toBeVisible()
  await expect(row.getByRole('button', { name: 'Disconnect' })).toBeFocused()

  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Edit Connector' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(row.getByRole('button', { name: 'Edit' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Renamed')
  await page.keyboard.press('Enter')
  await expect(page.getByText('updated successfully')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add Connector' })).toBeFocused()

  await page.getByRole('button', { name: 'Delete' }).focus()
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Delete Connector' })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Connector deleted successfully')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add Connector' })).toBeFocused()
})

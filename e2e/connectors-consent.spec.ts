import { addConnector, connectorRow, expect, openConnectors, test } from './support/connector-fixtures.ts'

test('a server that needs consent is connected on return, and the parameters are removed from the address (§8.32, §18.14, §18.28)', async ({
  page,
  account: _,
  guarded,
}) => {
  await openConnectors(page)
  await addConnector(page, 'Guarded', guarded.url)
  const consent = page.waitForRequest((request) => request.url().startsWith(`${guarded.origin}/authorize`))
  await connectorRow(page, 'Guarded').getByRole('button', { name: 'Connect', exact: true }).click()
  await consent
  await expect(page.getByText('Connector "Guarded" connected')).toBeVisible()
  await expect(connectorRow(page, 'Guarded').getByText('Connected', { exact: true })).toBeVisible()
  await expect(page).toHaveURL('/settings/connectors')
  await page.reload()
  await expect(connectorRow(page, 'Guarded').getByText('Connected', { exact: true })).toBeVisible()
  await expect(page.getByText('Connector "Guarded" connected')).toHaveCount(0)
})

test('a user who denies consent returns to a disconnected connector (§8.20)', async ({
  page,
  account: _,
  guarded,
  problems,
}) => {
  problems.expect(/Failed to toggle connector "Guarded"/)
  await openConnectors(page)
  await addConnector(page, 'Guarded', guarded.url)
  await page.route(`${guarded.origin}/authorize*`, async (route) => {
    const parameters = new URL(route.request().url()).searchParams
    const callback = new URL(parameters.get('redirect_uri')!)
    callback.searchParams.set('error', 'access_denied')
    callback.searchParams.set('state', parameters.get('state')!)
    await route.fulfill({ status: 302, headers: { location: callback.href } })
  })
  await connectorRow(page, 'Guarded').getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(
    page.getByText('Failed to toggle connector "Guarded": You did not give your consent.'),
  ).toBeVisible()
  await expect(connectorRow(page, 'Guarded').getByText('Disconnected', { exact: true })).toBeVisible()
  await expect(page).toHaveURL('/settings/connectors')
})

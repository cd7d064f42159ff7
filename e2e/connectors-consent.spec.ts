import { startOAuthMcpServer, type OAuthMcpServer } from '../server/testing/mcp/oauth-mcp-server.ts'
import {
  addConnector,
  connectorRow,
  expect,
  looks,
  openConnectors,
  test as base,
} from './support/connector-fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'

const test = base.extend<{
  /** A connector that signs its users in at another origin. */
  readonly elsewhere: { readonly connector: OAuthMcpServer; readonly signIn: OAuthMcpServer }
}>({
  elsewhere: async ({}, use) => {
    const [connector, signIn] = [await startOAuthMcpServer(), await startOAuthMcpServer()]
    Object.assign(connector.behaviour, { authorizationServer: signIn.origin, acceptsTokensOf: signIn })
    await use({ connector, signIn })
    await Promise.all([connector.close(), signIn.close()])
  },
})

test('a server that needs consent is connected on return, and the parameters are removed from the address (§8.32)', async ({
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

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test('a user sees the address of a sign-in at another origin, and refuses or confirms it with the keyboard, before anything is registered there', async ({
      page,
      account: _,
      elsewhere: { connector, signIn },
      axe,
    }) => {
      await page.evaluate(() => localStorage.setItem('theme', 'system'))
      await openConnectors(page)
      const name = `Notes of the ${'very-'.repeat(12)}long-named department`
      await addConnector(page, name, connector.url)
      await dismissToasts(page)
      const row = connectorRow(page, name)
      const connectButton = row.getByRole('button', { name: 'Connect', exact: true })
      const dialog = page.getByRole('alertdialog', { name: 'Sign in at another address?' })
      await connectButton.focus()
      await page.keyboard.press('Enter')
      await expect(dialog.getByText(signIn.origin, { exact: true })).toBeInViewport({ ratio: 1 })
      await expect(dialog).toHaveAccessibleDescription(new RegExp(signIn.origin))
      await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
      await expectNoSidewaysScroll(page)
      await axe(page)
      await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
      await expect(connectButton).toBeFocused()
      await expect(row.getByText('Disconnected', { exact: true })).toBeVisible()
      await expect(page).toHaveURL('/settings/connectors')
      expect(signIn.registrations.count).toBe(0)
      expect(connector.registrations.count).toBe(0)
      expect(signIn.tokenRequests).toEqual([])

      await page.keyboard.press('Enter')
      await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect(row.getByText('Connected', { exact: true })).toBeVisible()
      expect(signIn.registrations.count).toBe(1)
    })
  })
}

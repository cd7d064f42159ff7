import {
  addConnector,
  connect,
  connectorRow,
  expect,
  looks,
  openConnectors,
  test,
} from './support/connector-fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test.beforeEach(async ({ page, account: _ }) => {
      await page.evaluate(() => localStorage.setItem('theme', 'system'))
    })

    test('the list fits long names and failures, and the list, the form and the confirmation are accessible', async ({
      page,
      account: _,
      nowhere,
      axe,
      everything,
      problems,
    }) => {
      problems.expect(/the server responded with a status of 5\d\d/)
      problems.expect(/Failed to toggle connector/)
      await openConnectors(page)
      await addConnector(page, 'Everything', everything.url)
      await connect(page, 'Everything')
      const name = `A very long name ${'without-any-break'.repeat(8)}`
      await addConnector(page, name, `${nowhere}/${'path/'.repeat(60)}`)
      await connectorRow(page, name).getByRole('button', { name: 'Connect', exact: true }).click()
      await expect(connectorRow(page, name).getByText('Failed', { exact: true })).toBeVisible()
      await dismissToasts(page)
      await expectNoSidewaysScroll(page)
      await axe(page)

      await connectorRow(page, 'Everything').getByRole('button', { name: 'Edit' }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit Connector' })
      await dialog.getByText('Advanced').click()
      await dialog.getByLabel('Name of a tool to allow').fill('read')
      await dialog.getByLabel('Name of a tool to allow').press('Enter')
      await dialog.getByLabel('URL *').fill('')
      await dialog.getByRole('button', { name: 'Update Connector' }).click()
      await expect(dialog.getByText('URL is required')).toBeInViewport()
      await expectNoSidewaysScroll(page)
      await axe(page)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Discard' }).click()
      await connectorRow(page, 'Everything').getByRole('button', { name: 'Delete' }).click()
      await axe(page)
    })
  })
}

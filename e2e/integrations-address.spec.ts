import { startApiKeyMcpServer } from '../server/testing/mcp/api-key-mcp-server.ts'
import { looks, test as base, expect } from './support/fixtures.ts'
import { addWithKey, cardOf, openIntegrations } from './support/integrations-fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'
import { startProduct, type Product } from './support/product.ts'

/** A product whose operator changes the address of a service. */
const test = base.extend<{
  readonly moving: {
    readonly product: Product
    /** Starts the product again with the other address. */
    move(): Promise<void>
    /** The keys that the service at the other address has received. */
    keysAtNewAddress(): readonly (string | undefined)[]
  }
}>({
  moving: async ({}, use) => {
    const [first, second] = [await startApiKeyMcpServer(), await startApiKeyMcpServer()]
    const settings = { API_KEY_SERVICES: '' }
    const setAddress = (url: string) => {
      settings.API_KEY_SERVICES = JSON.stringify([{ name: 'tavily', url }])
    }
    setAddress(first.url)
    const product = await startProduct({ settings })
    await use({
      product,
      async move() {
        await product.stop()
        setAddress(second.url)
        await product.start()
      },
      keysAtNewAddress: () => second.seen.map(({ authorization }) => authorization),
    })
    await product.remove()
    await Promise.all([first.close(), second.close()])
  },
  product: async ({ moving }, use) => {
    await use(moving.product)
  },
})

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test('a user whose service has moved is told so, and enters the key for the new address, to which the old key never goes', async ({
      page,
      account: _,
      moving,
      axe,
      problems,
    }) => {
      // The live updates of the page break when the product is started again.
      problems.allowOutage()
      await page.evaluate(() => localStorage.setItem('theme', 'system'))
      await openIntegrations(page)
      await addWithKey(page, 'Tavily', 'tvly-old-0123456789abcdef')
      const card = cardOf(page, 'Tavily')
      await expect(card.getByText('Connected', { exact: true })).toBeVisible()
      await moving.move()
      await openIntegrations(page)
      await expect(card.getByText('Connected', { exact: true })).toBeHidden()
      await expect(
        card.getByText(
          'The operator of this server has changed the address of Tavily, so your API key is no longer sent. Enter the key for the new address.',
        ),
      ).toBeVisible()
      await dismissToasts(page)
      await expectNoSidewaysScroll(page)
      await axe(page)
      await page.goto('/settings/connectors')
      await expect(page.getByText('default', { exact: true })).toBeVisible()
      expect(moving.keysAtNewAddress()).toEqual([])

      await openIntegrations(page)
      await card.getByRole('button', { name: 'Add API Key' }).focus()
      await page.keyboard.press('Enter')
      await card.getByLabel('API Key').fill('tvly-new-0123456789abcdef')
      await page.keyboard.press('Enter')
      await expect(card.getByText('Connected', { exact: true })).toBeVisible()
      await page.goto('/settings/connectors')
      await expect(page.getByText('Tavily', { exact: true })).toBeVisible()
      expect(new Set(moving.keysAtNewAddress())).toEqual(new Set(['Bearer tvly-new-0123456789abcdef']))
    })
  })
}

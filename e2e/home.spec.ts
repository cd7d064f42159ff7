import { input, sendButton } from './support/chat-page.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'

for (const { look, viewport, colorScheme } of looks) {
  test(`home offers things to try, and shows that a message is being sent: ${look} (§4.12, §5.2)`, async ({
    page,
    account: _,
    axe,
  }) => {
    let showThings = () => {}
    const held = new Promise<void>((resolve) => (showThings = resolve))
    await page.route('**/api/integrations', async (route) => {
      await held
      await route.continue()
    })
    await page.goto('/')
    await setLook(page, { viewport, colorScheme })
    const composer = page.getByRole('form', { name: 'New message' })
    await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)
    const before = await composer.boundingBox()
    showThings()
    const things = page.getByRole('region', { name: 'Things to try' })
    await expect(things.getByRole('listitem')).toHaveCount(3)
    // Greeting and input stay where they are.
    expect(await composer.boundingBox()).toEqual(before)
    await axe(page)
    await expectNoSidewaysScroll(page)

    await things.getByRole('button', { name: 'Hide' }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(input(page)).toBeFocused()
    await expect(input(page)).toHaveValue('Compare train and plane in a table')
    await expect(page).toHaveURL('/')

    let createChat = () => {}
    const waiting = new Promise<void>((resolve) => (createChat = resolve))
    await page.route('**/api/chat/id?*', async (route) => {
      await waiting
      await route.continue()
    })
    await page.keyboard.press('Enter')
    await expect(sendButton(page)).toHaveAttribute('aria-busy', 'true')
    await page.keyboard.type('more')
    await expect(input(page)).toHaveValue('Compare train and plane in a table')
    await axe(page)
    createChat()
    await expect(page).toHaveURL(/\/chat\//)
    await expect(page.getByRole('article').first()).toContainText('Compare train and plane')
    await page.getByRole('link', { name: /Yonder/ }).click()
    await expect(input(page)).toHaveValue('')
    await things.getByRole('button', { name: 'Hide' }).click()
    await expect(things).toHaveCount(0)
    await page.goto('/settings/general')
    await page.getByRole('switch', { name: 'Things to try' }).click()
    await axe(page)
    await page.goto('/')
    await expect(things).toBeVisible()
  })
}

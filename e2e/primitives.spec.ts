import type { Locator, Page } from '@playwright/test'
import { expect, test } from './support/fixtures.ts'

const tooltip = (page: Page) => page.locator('[popover]:popover-open')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Hovers a control for as long as its tooltip needs to open. */
async function hoverUntilTooltip(page: Page, control: Locator): Promise<void> {
  await control.hover()
  await page.clock.runFor(400)
}

/** Changes the demo bot, which shows a toast. */
async function saveBot(page: Page): Promise<void> {
  await button(page, 'Edit').click()
  await button(page, 'Save').click()
  await expect(page.getByText('updated successfully')).toBeVisible()
}

test.beforeEach(async ({ page, account: _ }) => {
  await page.clock.install()
  await page.goto('/settings/bots')
  await expect(button(page, 'Edit')).toBeVisible()
})

test('a tooltip can be hovered, and Escape closes the tooltip but not the dialog below it', async ({
  page,
}) => {
  await hoverUntilTooltip(page, button(page, 'Search chats'))
  await expect(tooltip(page)).toContainText('Search chats')
  await tooltip(page).hover()
  await page.clock.runFor(1000)
  await expect(tooltip(page)).toBeVisible()
  await page.mouse.move(5, 5)
  await expect(tooltip(page)).toHaveCount(0)
  await button(page, 'Add Bot').click()
  const dialog = page.getByRole('dialog', { name: 'Add New Bot' })
  await expect(dialog.getByLabel('Name *')).toBeFocused()
  await hoverUntilTooltip(page, dialog.getByRole('button', { name: 'Close' }))
  await expect(tooltip(page)).toHaveText('Close')
  await page.keyboard.press('Escape')
  await expect(tooltip(page)).toHaveCount(0)
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
})

test('a tooltip opens on keyboard focus, but not on focus by click', async ({ page }) => {
  await button(page, 'New chat').click()
  await expect(page.getByText('How can I help you today?')).toBeVisible()
  await button(page, 'New chat').focus()
  await expect(tooltip(page)).toHaveCount(0)
  await page.keyboard.press('Tab')
  await expect(tooltip(page)).toContainText('Search chats')
  await page.keyboard.press('Escape')
  await expect(tooltip(page)).toHaveCount(0)
  await expect(button(page, 'Search chats')).toBeFocused()
})

for (const width of [1280, 320])
  test(`a tooltip stays inside a window that is ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    await hoverUntilTooltip(page, page.getByRole('link', { name: 'Source code' }))
    await expect(tooltip(page)).toHaveText('Source code')
    const { x, y, ...size } = (await tooltip(page).boundingBox())!
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x + size.width).toBeLessThanOrEqual(
      await page.evaluate(() => document.documentElement.clientWidth),
    )
    expect(y).toBeGreaterThanOrEqual(0)
  })

test('a toast stays while it is hovered or focused, and disappears five seconds later (§9.1)', async ({
  page,
}) => {
  const text = page.getByText('updated successfully')
  await saveBot(page)
  await page.clock.runFor(3000)
  await text.hover()
  await page.clock.runFor(20_000)
  await expect(text).toBeVisible()
  await button(page, 'Dismiss').focus()
  await page.mouse.move(5, 500)
  await page.clock.runFor(20_000)
  await expect(text).toBeVisible()
  await button(page, 'Dismiss').blur()
  await page.clock.runFor(5000)
  await expect(text).toHaveCount(0)
})

test('a toast that appears below a resting pointer disappears after five seconds too (§9.1)', async ({
  page,
}) => {
  const text = page.getByText('updated successfully')
  await saveBot(page)
  const { x, y } = (await text.boundingBox())!
  await page.clock.runFor(5000)
  await expect(text).toHaveCount(0)
  await button(page, 'Edit').click()
  await page.mouse.move(x + 5, y + 5)
  await button(page, 'Save').press('Enter')
  await expect(text).toBeVisible()
  await page.clock.runFor(5000)
  await expect(text).toHaveCount(0)
})

import type { Locator, Page } from '@playwright/test'
import { createProblems } from './support/browser-problems.ts'
import { expect, looks } from './support/fixtures.ts'
import { checkAccessibility, expectNoSidewaysScroll } from './support/page-checks.ts'
import { test as base } from './support/servers.ts'

/** The gallery of the design system, which shows the primitives in their states. */
const test = base.extend<{ readonly gallery: Page }>({
  gallery: async ({ page, context, galleryPage }, use) => {
    const problems = createProblems()
    await problems.watch(context)
    await context.route('http://gallery.localhost/**', async (route) => {
      const { body, type } = galleryPage.find(new URL(route.request().url()).pathname)
      await route.fulfill({ body, contentType: type })
    })
    await page.clock.install()
    await page.goto('http://gallery.localhost/ui')
    await expect(page.locator('.markdown-formula')).toBeVisible()
    await use(page)
    problems.check()
  },
})

/** A button among the menus, tooltips, dialogs and toasts, where the names are unique. */
const button = (page: Page, name: string) =>
  page.locator('#menus-and-tooltips, #dialogs-and-toasts').getByRole('button', { name, exact: true })
const tooltip = (page: Page) => page.locator('[popover]:popover-open')

/** Hovers a control for as long as its tooltip needs to open. */
async function hoverUntilTooltip(page: Page, control: Locator): Promise<void> {
  await control.scrollIntoViewIfNeeded()
  await control.hover()
  await page.clock.runFor(400)
}

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport })

    test('the gallery and every dialog in it are accessible', async ({ gallery }) => {
      if (colorScheme === 'dark') await gallery.getByRole('switch', { name: 'Dark theme' }).click()
      await expectNoSidewaysScroll(gallery)
      for (const name of ['Form', 'Confirmation', 'Long', 'Side panel'])
        await test.step(name, async () => {
          await button(gallery, name).click()
          await expect(gallery.locator('dialog')).toBeVisible()
          await checkAccessibility(gallery)
          await gallery.keyboard.press('Escape')
          await expect(gallery.locator('dialog')).toHaveCount(0)
        })
      await button(gallery, 'Long message').click()
      await gallery.clock.runFor(200)
      await expect(gallery.getByText('Failed to add connector')).toBeVisible()
      await button(gallery, 'Account').click()
      await expect(gallery.getByRole('menu')).toBeVisible()
      await checkAccessibility(gallery)
    })
  })
}

test('a menu works with the keyboard alone', async ({ gallery }) => {
  const trigger = button(gallery, 'Account')
  const menu = gallery.getByRole('menu')
  await gallery.getByRole('link', { name: 'Source code' }).focus()
  for (let presses = 0; presses < 40 && !(await trigger.evaluate(isFocused)); presses += 1)
    await gallery.keyboard.press('Tab')
  await expect(menu).toBeVisible()
  await gallery.keyboard.press('Enter')
  await expect(gallery.getByRole('menuitemradio', { name: 'Light' })).toBeFocused()
  await gallery.keyboard.press('ArrowUp')
  await expect(gallery.getByRole('menuitem', { name: 'Sign out' })).toBeFocused()
  await gallery.keyboard.press('Home')
  await gallery.keyboard.type('se')
  await expect(gallery.getByRole('menuitem', { name: 'Settings' })).toBeFocused()
  await gallery.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(trigger).toBeFocused()
  await gallery.keyboard.press('Space')
  await expect(gallery.getByRole('menuitemradio', { name: 'Light' })).toBeFocused()
  await gallery.keyboard.press('Tab')
  await expect(menu).toBeHidden()
  await expect(button(gallery, 'Copy')).toBeFocused()
})

test('a tooltip can be hovered, and Escape closes the tooltip but not the dialog below it', async ({
  gallery,
}) => {
  await hoverUntilTooltip(gallery, button(gallery, 'Edit'))
  await expect(tooltip(gallery)).toHaveText('Edit')
  await tooltip(gallery).hover()
  await gallery.clock.runFor(1000)
  await expect(tooltip(gallery)).toBeVisible()
  await gallery.mouse.move(5, 5)
  await expect(tooltip(gallery)).toHaveCount(0)
  await button(gallery, 'Form').click()
  const dialog = gallery.getByRole('dialog', { name: 'Edit Bot' })
  await expect(gallery.getByLabel('Name *').last()).toBeFocused()
  await hoverUntilTooltip(gallery, dialog.getByRole('button', { name: 'Close' }))
  await expect(tooltip(gallery)).toHaveText('Close')
  await gallery.keyboard.press('Escape')
  await expect(tooltip(gallery)).toHaveCount(0)
  await expect(dialog).toBeVisible()
  await gallery.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
})

test('a tooltip opens on keyboard focus, but not on focus by click', async ({ gallery }) => {
  await button(gallery, 'Copy').click()
  await expect(button(gallery, 'Copy')).toBeFocused()
  await expect(tooltip(gallery)).toHaveCount(0)
  await gallery.keyboard.press('Tab')
  await expect(tooltip(gallery)).toHaveText('Edit')
  await gallery.keyboard.press('Escape')
  await expect(tooltip(gallery)).toHaveCount(0)
  await expect(button(gallery, 'Edit')).toBeFocused()
})

test('a tooltip closes when its control scrolls away', async ({ gallery }) => {
  await hoverUntilTooltip(gallery, button(gallery, 'Scrolls away'))
  await expect(tooltip(gallery)).toBeVisible()
  await gallery.getByRole('region', { name: 'A list that scrolls' }).evaluate((list) => list.scrollBy(0, 20))
  await expect(tooltip(gallery)).toHaveCount(0)
})

for (const width of [1280, 390])
  test(`tooltips stay inside a window that is ${width} pixels wide`, async ({ gallery }) => {
    await gallery.setViewportSize({ width, height: 800 })
    for (const name of ['At the very edge of the window', /A control whose name is so long/]) {
      await hoverUntilTooltip(gallery, gallery.getByRole('button', { name }))
      await expect(tooltip(gallery)).toContainText(name)
      const { x, y, ...size } = (await tooltip(gallery).boundingBox())!
      const visibleWidth = await gallery.evaluate(() => document.documentElement.clientWidth)
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + size.width).toBeLessThanOrEqual(visibleWidth)
      expect(y).toBeGreaterThanOrEqual(0)
      expect(y + size.height).toBeLessThanOrEqual(800)
      await gallery.mouse.move(5, 5)
    }
  })

test('a toast stays while it is hovered or focused, and disappears five seconds later (§9.1)', async ({
  gallery,
}) => {
  const text = gallery.getByText('added successfully')
  await button(gallery, 'Success').click()
  await gallery.clock.runFor(3000)
  await text.hover()
  await gallery.clock.runFor(20_000)
  await expect(text).toBeVisible()
  await gallery.getByRole('button', { name: 'Dismiss' }).focus()
  await gallery.mouse.move(5, 500)
  await gallery.clock.runFor(20_000)
  await expect(text).toBeVisible()
  await gallery.getByRole('button', { name: 'Dismiss' }).blur()
  await gallery.clock.runFor(5000)
  await expect(text).toHaveCount(0)
})

test('a toast that appears below a resting pointer disappears after five seconds too (§9.1)', async ({
  gallery,
}) => {
  const text = gallery.getByText('added successfully')
  await button(gallery, 'Success').click()
  const { x, y } = (await text.boundingBox())!
  await gallery.clock.runFor(5000)
  await expect(text).toHaveCount(0)
  await gallery.mouse.move(x + 5, y + 5)
  await button(gallery, 'Success').press('Enter')
  await expect(text).toBeVisible()
  await gallery.clock.runFor(5000)
  await expect(text).toHaveCount(0)
})

test('of two nested dialogs the upper one shows toasts and closes first, and each returns the focus', async ({
  gallery,
}) => {
  await button(gallery, 'Nested').click()
  const lower = gallery.getByRole('dialog', { name: 'Edit Bot' })
  await lower.getByRole('button', { name: 'Delete Bot' }).click()
  const upper = gallery.getByRole('alertdialog', { name: 'Delete Bot' })
  await expect(upper.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await gallery.keyboard.press('Escape')
  await expect(upper).toHaveCount(0)
  await expect(lower.getByRole('button', { name: 'Delete Bot' })).toBeFocused()
  await lower.getByRole('button', { name: 'Save' }).click()
  await gallery.clock.runFor(200)
  await lower.getByRole('button', { name: 'Dismiss' }).click()
  await expect(gallery.getByText('updated successfully')).toHaveCount(0)
  await gallery.keyboard.press('Escape')
  await expect(lower).toHaveCount(0)
  await expect(button(gallery, 'Nested')).toBeFocused()
})

test('the text of a dialog scrolls with the keyboard as soon as it does not fit', async ({ gallery }) => {
  await gallery.setViewportSize({ width: 1280, height: 2000 })
  await button(gallery, 'Long').click()
  const dialog = gallery.getByRole('dialog', { name: 'Terms' })
  const scroller = dialog.locator('[tabindex="0"]')
  await expect(dialog).toBeVisible()
  await expect(scroller).toHaveCount(0)
  await test.step('in a lower window', async () => {
    await gallery.setViewportSize({ width: 1280, height: 600 })
    await expect(scroller).toContainText('Paragraph 30')
    await gallery.setViewportSize({ width: 1280, height: 2000 })
    await expect(scroller).toHaveCount(0)
  })
  await test.step('when it has become longer', async () => {
    await dialog.getByText('Paragraph 30').evaluate((text) => text.append(' Longer.'.repeat(5000)))
    await expect(scroller).toContainText('Longer.')
  })
})

function isFocused(element: Element): boolean {
  return document.activeElement === element
}

import type { Locator, Page } from '@playwright/test'
import { expect, looks, test } from './support/fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll, recordResponses } from './support/page-checks.ts'

const row = (page: Page, name: string): Locator => page.getByRole('listitem').filter({ hasText: name })

async function openBots(page: Page): Promise<void> {
  await page.goto('/settings/bots')
  await expect(page.getByRole('heading', { name: 'Bots' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add Bot' })).toBeVisible()
}

/** Opens the dialog and fills the required fields. */
async function fillNewBot(page: Page, name: string, model: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Add Bot' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add New Bot' })
  await dialog.getByLabel('Name *').fill(name)
  await dialog.getByLabel('Model *').fill(model)
  return dialog
}

async function addBot(page: Page, name: string, model: string): Promise<void> {
  const dialog = await fillNewBot(page, name, model)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText(`Bot "${name}" added successfully`)).toBeVisible()
  await expect(dialog).toBeHidden()
}

test('a user adds a bot and renames it, and the name is still there after a reload (§2.48, §2.53, §7.2, §7.3, §7.4, §8.31)', async ({
  page,
  account: _,
}) => {
  await openBots(page)
  const name = 'Schön / 100% 🚀'
  await addBot(page, name, 'first-model')
  await row(page, name).getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Bot' })
  await dialog.getByLabel('Name *').fill('Plain')
  await dialog.getByLabel('Model *').fill('second-model')
  await dialog.getByLabel('Model *').press('Enter')
  const message = page.getByText('Bot "Plain" updated successfully')
  await expect(message).toBeVisible()
  await expect(dialog).toBeHidden()
  // The toast is at the top right.
  const box = await message.boundingBox()
  expect(box!.x).toBeGreaterThan(640)
  expect(box!.y + box!.height).toBeLessThan(200)
  await page.reload()
  await expect(row(page, 'Plain')).toContainText('second-model')
  await expect(row(page, name)).toHaveCount(0)
})

for (const { look, ...window } of looks) {
  test.describe(look, () => {
    test.use(window)
    test('a message at the top right does not cover the focused button (§9.17)', async ({
      page,
      account: _,
    }) => {
      await openBots(page)
      await addBot(page, 'Passing', 'some-model')
      const button = page.getByRole('button', { name: 'Add Bot' })
      await expect(button).toBeFocused()
      const message = page.getByText('Bot "Passing" added successfully').locator('xpath=..')
      await expect(message).toBeVisible()
      const [control, shown] = [await button.boundingBox(), await message.boundingBox()]
      const isAbove = shown!.y + shown!.height <= control!.y
      const isBelow = shown!.y >= control!.y + control!.height
      expect(isAbove || isBelow).toBe(true)
    })
  })
}

test('a message moves out of the way when the layout moves the focused button below it (§9.17)', async ({
  page,
  account: _,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openBots(page)
  await addBot(page, 'Passing', 'some-model')
  const message = page.getByText('Bot "Passing" added successfully').locator('xpath=..')
  await expect(message).toBeVisible()
  const edit = row(page, 'Passing').getByRole('button', { name: 'Edit' })
  await edit.focus()
  const [control, shown] = [await edit.boundingBox(), await message.boundingBox()]
  // As when a list above it becomes shorter.
  await page.locator('main').evaluate((main, distance) => {
    main.style.marginTop = `${distance}px`
  }, shown!.y - control!.y)
  await expect
    .poll(async () => {
      const [moved, now] = [await edit.boundingBox(), await message.boundingBox()]
      return now!.y + now!.height <= moved!.y || now!.y >= moved!.y + moved!.height
    })
    .toBe(true)
  await expect(edit).toBeFocused()
  await expect(edit).toBeInViewport()
})

test('closing a dialog over the avatar does not open the menu until the pointer moves', async ({
  page,
  account: _,
}) => {
  await openBots(page)
  const avatar = page.getByRole('button', { name: 'Account' })
  const box = await avatar.boundingBox()
  // The browser dispatches this event when the dialog has closed, although the pointer rests.
  const hovered = avatar.evaluate(
    (element) =>
      new Promise<void>((resolve) => {
        // Two frames later a menu that this event opened would be visible.
        const waitForFrames = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
        element.addEventListener('pointerenter', waitForFrames, { once: true })
      }),
  )
  await page.getByRole('button', { name: 'Add Bot' }).click()
  await page.mouse.move(box!.x + 10, box!.y + 10)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await hovered
  await expect(page.getByRole('menu', { name: 'Account' })).toBeHidden()
  await page.mouse.move(box!.x + 15, box!.y + 15)
  await expect(page.getByRole('menu', { name: 'Account' })).toBeVisible()
})

test('a new user has the demo bot, can delete it, and then sees what to do next (§2.51, §2.52, §2.54, §7.5)', async ({
  page,
  account: _,
}) => {
  await openBots(page)
  await expect(row(page, 'Yonder Demo')).toContainText('demo')
  await expect(row(page, 'Yonder Demo').getByRole('button', { name: 'Edit' })).toBeVisible()
  await row(page, 'Yonder Demo').getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete Bot' })
  await expect(
    question.getByText('Are you sure you want to delete this bot? This action cannot be undone.'),
  ).toBeVisible()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(row(page, 'Yonder Demo')).toBeVisible()
  await row(page, 'Yonder Demo').getByRole('button', { name: 'Delete' }).click()
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Bot deleted successfully')).toBeVisible()
  await expect(page.getByText('No bot configurations found')).toBeVisible()
  await expect(page.getByText(/Add one to start a chat/)).toBeVisible()
})

test('a user stores an API key, which is never sent back (§5.6, §5.7, §5.9)', async ({
  page,
  account: _,
}) => {
  await openBots(page)
  const key = 'sk-own-key-0123456789'
  const dialog = await fillNewBot(page, 'Mine', 'm')
  await expect(dialog.getByText(/admin of this site can see it.* credit limit/)).toBeVisible()
  await expect(dialog.getByLabel('Base URL')).toHaveCount(0)
  await dialog.getByLabel('Provide your own key').check()
  await dialog.getByLabel('Base URL').fill('https://models.example.com/v1')
  await dialog.getByLabel('API key').fill(key)
  const responses = await recordResponses(page, '/api/bots')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(row(page, 'Mine')).toBeVisible()
  await page.reload()
  await expect(row(page, 'Mine')).toBeVisible()
  expect(responses.at(-1)).toContain('sk-o••••••••6789')
  for (const response of responses) expect(response).not.toContain(key)
  await row(page, 'Mine').getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Bot' })
  await expect(edit.getByLabel('API key')).toHaveAttribute('type', 'password')
  await expect(edit.getByText(/Stored: sk-o••••••••6789/)).toBeVisible()
  await edit.getByLabel('Provide your own key').uncheck()
  await expect(edit.getByLabel('API key')).toHaveCount(0)
  await edit.getByLabel('Provide your own key').check()
  await expect(edit.getByLabel('API key')).toHaveValue('')
  await expect(edit.getByLabel('Base URL')).toHaveValue('')
})

test('the form reports invalid fields and keeps the entered values when saving fails (§5.5, §5.6, §8.15, §8.17)', async ({
  page,
  account: _,
  problems,
}) => {
  problems.expect(/409 \(Conflict\)/)
  problems.expect(/Failed to save bot/)
  await openBots(page)
  const dialog = await fillNewBot(page, 'Yonder Demo', ' ')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Please fill in all required fields')).toBeVisible()
  await expect(dialog.getByLabel('Model *')).toBeFocused()
  await dialog.getByLabel('Model *').fill('m')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(
    page.getByText('Failed to save bot: You already have a bot named "Yonder Demo".'),
  ).toBeVisible()
  await expect(dialog.getByLabel('Name *')).toHaveValue('Yonder Demo')

  await dialog.getByLabel('Name *').fill('A')
  await dialog.getByLabel('Optional settings').check()
  await dialog.getByLabel('Max tokens').pressSequentially('1e')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText(/Max tokens must be a whole number/)).toBeVisible()
  await dialog.getByLabel('Max tokens').fill('4096')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Bot "A" added successfully')).toBeVisible()
})

test('when the list cannot be loaded, Try again reloads the page (§2.52)', async ({
  page,
  account: _,
  problems,
}) => {
  problems.expect(/503/)
  await page.route('**/api/bots', (route) => route.fulfill({ status: 503, body: '' }))
  await page.goto('/settings/bots')
  await expect(page.getByText('Error loading bot configurations')).toBeVisible()
  await page.unroute('**/api/bots')
  await page.evaluate(() => Object.assign(window, { isOld: true }))
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(row(page, 'Yonder Demo')).toBeVisible()
  expect(await page.evaluate(() => 'isOld' in window)).toBe(false)
})

test("two users do not see each other's bots", async ({ page, account: _, openAsOther }) => {
  await openBots(page)
  await addBot(page, 'Only mine', 'm')
  const other = await openAsOther('/settings/bots')
  await expect(row(other, 'Yonder Demo')).toBeVisible()
  await expect(row(other, 'Only mine')).toHaveCount(0)
})

test('a user manages bots with the keyboard alone, and the focus is never lost', async ({
  page,
  account: _,
}) => {
  await openBots(page)
  await page.getByRole('button', { name: 'Add Bot' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Name *')).toBeFocused()
  await page.keyboard.type('Typed')
  await page.keyboard.press('Tab')
  await page.keyboard.type('m')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await expect(page.getByLabel('Base URL')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Bot "Typed" added successfully')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add Bot' })).toBeFocused()

  const edit = row(page, 'Typed').getByRole('button', { name: 'Edit' })
  await edit.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Edit Bot' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(edit).toBeFocused()

  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Delete Bot' })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Bot deleted successfully')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add Bot' })).toBeFocused()
})

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test.beforeEach(async ({ page, account: _ }) => {
      await page.evaluate(() => localStorage.setItem('theme', 'system'))
    })

    test('the list, the form, the confirmation and the empty list are accessible', async ({ page, axe }) => {
      await openBots(page)
      await addBot(page, `A very long name ${'without-any-break'.repeat(8)}`, `vendor/${'model'.repeat(30)}`)
      await dismissToasts(page)
      await expectNoSidewaysScroll(page)
      await axe(page)

      const dialog = await fillNewBot(page, ' ', 'm')
      await dialog.getByLabel('Provide your own key').check()
      await dialog.getByLabel('Optional settings').check()
      await dialog.getByRole('button', { name: 'Save' }).click()
      // The message is in view however far the form was scrolled.
      await expect(dialog.getByText('Please fill in all required fields')).toBeInViewport()
      await expectNoSidewaysScroll(page)
      await axe(page)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Discard' }).click()
      await expect(dialog).toBeHidden()

      const confirmation = page.getByRole('alertdialog', { name: 'Delete Bot' })
      await row(page, 'A very long name').getByRole('button', { name: 'Delete' }).click()
      await axe(page)
      await confirmation.getByRole('button', { name: 'Delete' }).click()
      await expect(row(page, 'A very long name')).toHaveCount(0)
      // The row can disappear shortly before the dialog closes.
      await expect(confirmation).toBeHidden()
      // The toast covers the buttons of the next row.
      await expect(page.getByText('Bot deleted successfully')).toBeVisible()
      await dismissToasts(page)
      await row(page, 'Yonder Demo').getByRole('button', { name: 'Delete' }).click()
      await confirmation.getByRole('button', { name: 'Delete' }).click()
      await expect(page.getByText('No bot configurations found')).toBeVisible()
      await expect(page.getByText('Bot deleted successfully').last()).toBeVisible()
      await dismissToasts(page)
      await axe(page)
    })
  })
}

import type { Page } from '@playwright/test'
import { input, sendButton } from './support/chat-page.ts'
import { expect, test } from './support/fixtures.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const newLine = (page: Page) => page.getByRole('button', { name: 'New line' })

test('on a phone a message can have two lines, and Enter still sends (§5.3, §14.41)', async ({
  account: user,
  openDevice,
}) => {
  const page = await openDevice(user, '/', phone)
  await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)
  await input(page).tap()
  await page.keyboard.type('first')
  await newLine(page).tap()
  await expect(input(page)).toBeFocused()
  await page.keyboard.type('second')
  await expect(input(page)).toHaveValue('first\nsecond')
  await page.keyboard.press('Home')
  await newLine(page).tap()
  await expect(input(page)).toHaveValue('first\n\nsecond')
  await page.keyboard.press('Enter')
  const message = page.getByRole('article', { name: 'You' })
  await expect(message).toContainText('second')
  await expect(sendButton(page)).toBeVisible()

  await message.getByRole('button', { name: 'Edit message' }).tap()
  const editor = message.getByRole('textbox')
  await expect(editor).toBeFocused()
  await message.getByRole('button', { name: 'New line' }).tap()
  await expect(editor).toHaveValue('first\n\nsecond\n')
})

test('with a mouse there is no button for a new line (§14.41)', async ({ page, user: _ }) => {
  await expect(input(page)).toBeVisible()
  await expect(newLine(page)).toBeHidden()
})

test('in landscape the chat keeps most of the window, and the input still has two rows (§2.22)', async ({
  account: user,
  openDevice,
}) => {
  const page = await openDevice(user, '/', { ...phone, viewport: { width: 844, height: 390 } })
  await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)
  await input(page).fill('hello')
  await input(page).press('Enter')
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(sendButton(page)).toBeVisible()
  await expect(input(page)).toHaveValue('')
  const [header, form, area] = await Promise.all(
    [page.locator('header'), page.getByRole('form', { name: 'New message' }), input(page)].map((element) =>
      element.boundingBox(),
    ),
  )
  expect(area!.height).toBeGreaterThanOrEqual(60)
  expect(form!.y - (header!.y + header!.height)).toBeGreaterThan(390 * 0.6)
  // The whole input, with its buttons, ends in the window.
  expect(form!.y + form!.height).toBeLessThanOrEqual(390)
  await input(page).fill(Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n'))
  const grown = await input(page).boundingBox()
  expect(grown!.height).toBeGreaterThan(area!.height)
  expect(grown!.height).toBeLessThan(390 * 0.3)
})

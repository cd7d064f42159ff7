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

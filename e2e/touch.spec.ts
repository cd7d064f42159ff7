import type { Page } from '@playwright/test'
import { input, sendButton } from './support/chat-page.ts'
import { expect, test } from './support/fixtures.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const newLine = (page: Page) => page.getByRole('button', { name: 'New line' })

test('on a phone a message can have two lines, and Enter still sends (§5.3)', async ({
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

test('on a phone the message input gets the focus only when it is tapped', async ({
  account: user,
  openDevice,
}) => {
  const page = await openDevice(user, '/', phone)
  await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)
  await expect(input(page)).not.toBeFocused()
  await input(page).tap()
  await page.keyboard.type('hello')
  await sendButton(page).tap()
  await expect(page.getByRole('article', { name: 'You' })).toContainText('hello')
  await expect(sendButton(page)).toBeVisible()
  await expect(input(page)).not.toBeFocused()
})

test('with a mouse there is no button for a new line', async ({ page, user: _ }) => {
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

test('with the on-screen keyboard open, what is typed and its buttons stay visible', async ({
  account: user,
  openDevice,
}) => {
  const page = await openDevice(user, '/', phone)
  await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)
  // The page asks for a layout above the keyboard, so the window becomes lower.
  const openKeyboard = () => page.setViewportSize({ width: 390, height: 430 })
  const closeKeyboard = () => page.setViewportSize(phone.viewport)

  await input(page).tap()
  await openKeyboard()
  await page.keyboard.type('hello')
  await expect(input(page)).toBeInViewport({ ratio: 1 })
  await expect(sendButton(page)).toBeInViewport({ ratio: 1 })
  await sendButton(page).tap()
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(sendButton(page)).toBeVisible()
  await expect(input(page)).toHaveValue('')

  // The end of the reply is above the input.
  await input(page).tap()
  const [reply, form] = await Promise.all(
    [
      page.getByRole('article').last().locator('p').last(),
      page.getByRole('form', { name: 'New message' }),
    ].map((element) => element.boundingBox()),
  )
  expect(reply!.y + reply!.height).toBeLessThanOrEqual(form!.y)
  await input(page).fill(Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n'))
  await expect(sendButton(page)).toBeInViewport({ ratio: 1 })
  await expect(page.locator('header')).toBeInViewport({ ratio: 0.9 })
  await input(page).fill('')

  await page.getByRole('article', { name: 'You' }).getByRole('button', { name: 'Edit message' }).tap()
  const edit = page.getByRole('form', { name: 'Edit message' })
  await expect(edit.getByRole('textbox')).toBeInViewport({ ratio: 1 })
  await edit.getByRole('button', { name: 'Cancel' }).tap()
  await closeKeyboard()

  await page.getByRole('button', { name: 'Search chats' }).tap()
  await openKeyboard()
  await page.keyboard.type('hello')
  await page.keyboard.press('Enter')
  const found = page.getByRole('dialog').getByRole('link').first()
  await expect(found).toBeInViewport({ ratio: 1 })
  await closeKeyboard()

  await page.goto('/settings/bots')
  await page.getByRole('button', { name: 'Edit' }).first().tap()
  await openKeyboard()
  for (const field of ['Name *', 'Model *']) {
    await page.getByLabel(field).tap()
    await expect(page.getByLabel(field)).toBeFocused()
    await expect(page.getByLabel(field)).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('button', { name: 'Save' })).toBeInViewport({ ratio: 1 })
  }
})

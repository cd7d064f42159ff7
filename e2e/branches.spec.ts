import type { Locator, Page } from '@playwright/test'
import { input, openTab, sendButton, writeMessage } from './support/chat-page.ts'
import { writeLongChat } from './support/database-rows.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'

const articles = (page: Page) => page.getByRole('article')
const questions = (page: Page) => page.getByRole('article', { name: 'You' })
const lastReply = (page: Page) => articles(page).last()
const previous = (page: Page) => page.getByRole('button', { name: 'Previous version' })
const next = (page: Page) => page.getByRole('button', { name: 'Next version' })
const contents = (page: Page) => page.getByRole('navigation', { name: 'Contents' })

/** Sends `text` and waits for its reply. `shown` is the text of the message on the page, without the marks of Markdown. */
async function send(page: Page, text: string, shown = text): Promise<void> {
  await writeMessage(page, text)
  await expect(page).toHaveURL(/\/chat\/[^/]+$/)
  await expect(questions(page).filter({ hasText: shown })).toBeVisible()
  await expect(sendButton(page)).toBeVisible()
}

async function regenerate(page: Page): Promise<void> {
  await lastReply(page).hover()
  await lastReply(page).getByRole('button', { name: 'Regenerate' }).click()
  await expect(lastReply(page).getByText(/^\d+\/\d+$/)).toBeVisible()
  await expect(sendButton(page)).toBeVisible()
}

test('a reply is regenerated, both versions are kept, and the selected one is still selected after a reload (§1.5, §2.35, §4.24, §4.25)', async ({
  page,
  user: _,
}) => {
  await send(page, 'hello')
  await expect(next(page)).toHaveCount(0)
  await regenerate(page)
  await expect(lastReply(page).getByText('2/2')).toBeVisible()
  await expect(next(page)).toBeDisabled()
  await expect(articles(page)).toHaveCount(2)

  const saved = page.waitForResponse(/select-response/)
  await previous(page).click()
  await expect(lastReply(page).getByText('1/2')).toBeVisible()
  await expect(previous(page)).toBeDisabled()
  expect((await saved).status()).toBe(200)
  await page.reload()
  await expect(lastReply(page).getByText('1/2')).toBeVisible()
  await next(page).click()
  await expect(lastReply(page).getByText('2/2')).toBeVisible()
})

test('a message is edited and sent as another version; the first one and its replies are kept (§1.5, §2.35)', async ({
  page,
  user: _,
}) => {
  await send(page, 'hello')
  await send(page, 'and more')
  await questions(page).first().hover()
  await questions(page).first().getByRole('button', { name: 'Edit message' }).click()
  const editor = page.getByRole('form', { name: 'Edit message' })
  await expect(editor.getByRole('textbox')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(editor).toHaveCount(0)
  await expect(questions(page).first().getByRole('button', { name: 'Edit message' })).toBeFocused()

  await page.keyboard.press('Enter')
  await editor.getByRole('textbox').fill('other words')
  await editor.getByRole('button', { name: 'Send' }).click()
  await expect(questions(page)).toHaveCount(1)
  await expect(questions(page).first()).toContainText('other words')
  await expect(questions(page).first().getByText('2/2')).toBeVisible()
  await expect(sendButton(page)).toBeVisible()

  await previous(page).first().click()
  await expect(questions(page)).toHaveCount(2)
  await expect(questions(page).first()).toContainText('hello')
  await expect(questions(page).last()).toContainText('and more')
})

test('stepping back to an earlier version shows the path that was chosen below it, also after a reload and in another tab (§4.25)', async ({
  page,
  context,
  user: _,
}) => {
  const step = async (on: Page, button: Locator) => {
    const saved = on.waitForResponse(/select-response/)
    await button.click()
    await saved
  }
  await send(page, 'hello')
  await send(page, 'and more')
  await regenerate(page)
  await step(page, previous(page))
  await expect(lastReply(page).getByText('1/2')).toBeVisible()

  await questions(page).first().hover()
  await questions(page).first().getByRole('button', { name: 'Edit message' }).click()
  await page.getByRole('form', { name: 'Edit message' }).getByRole('textbox').fill('other words')
  await page.keyboard.press('Enter')
  await expect(questions(page)).toHaveCount(1)
  await expect(sendButton(page)).toBeVisible()

  await step(page, previous(page))
  await expect(questions(page)).toHaveCount(2)
  await expect(lastReply(page).getByText('1/2')).toBeVisible()
  await step(page, next(page).first())
  await expect(questions(page)).toHaveCount(1)

  const other = await openTab(context, page.url())
  await step(other, previous(other))
  for (const tab of [other, page]) {
    await expect(questions(tab)).toHaveCount(2)
    await expect(lastReply(tab).getByText('1/2')).toBeVisible()
  }
  await page.reload()
  await expect(lastReply(page).getByText('1/2')).toBeVisible()
})

test('a draft edit survives a reload and a visit to another page, and is removed once it is sent', async ({
  page,
  user: _,
}) => {
  await send(page, 'hello')
  await questions(page).first().hover()
  await questions(page).first().getByRole('button', { name: 'Edit message' }).click()
  const editor = page.getByRole('form', { name: 'Edit message' })
  await editor.getByRole('textbox').fill('half written')
  await page.reload()
  await expect(editor.getByRole('textbox')).toHaveValue('half written')
  await expect(editor.getByRole('textbox')).not.toBeFocused()
  await page.getByRole('link', { name: 'Yonder' }).first().click()
  await expect(editor).toHaveCount(0)
  await page.goBack()
  await expect(editor.getByRole('textbox')).toHaveValue('half written')
  await editor.getByRole('button', { name: 'Send' }).click()
  await expect(questions(page).first()).toContainText('half written')
  await page.reload()
  await expect(questions(page).first()).toContainText('half written')
  await expect(editor).toHaveCount(0)
})

test('a stopped reply can be regenerated', async ({ page, user: _ }) => {
  await input(page).fill('write a long answer')
  await input(page).press('Enter')
  await expect(lastReply(page).getByRole('heading', { level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await lastReply(page).getByText('Regenerate').click()
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(lastReply(page).getByText('2/2')).toBeVisible()
})

test('versions and contents work with the keyboard alone', async ({ page, user: _ }) => {
  await send(page, 'first question')
  await send(page, 'show me a table')
  await lastReply(page).getByRole('button', { name: 'Regenerate' }).focus()
  await page.keyboard.press('Enter')
  await expect(lastReply(page).getByText('2/2')).toBeVisible()
  await previous(page).focus()
  await page.keyboard.press('Enter')
  await expect(lastReply(page).getByText('1/2')).toBeVisible()
  await expect(lastReply(page)).toContainText('1/2')

  await contents(page).getByRole('button', { name: 'show me a table' }).focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(questions(page).first()).toBeFocused()
  await expect(questions(page).first()).toBeInViewport()
  await expect(contents(page).getByRole('button', { name: 'first question' })).toHaveAttribute(
    'aria-current',
    'location',
  )
})

test('the contents are on the left of a wide window, mark the question in view, and link to every question (§2.27, §2.36)', async ({
  page,
  user: _,
}) => {
  await page.setViewportSize({ width: 1280, height: 500 })
  await send(
    page,
    'show me a table about **everything** there is to say',
    'show me a table about everything there is to say',
  )
  await send(page, 'a second question')
  const rows = contents(page).getByRole('button')
  await expect(rows).toHaveText(['show me a table about everything there i...', 'a second question'])
  const box = await contents(page).boundingBox()
  const text = await lastReply(page).boundingBox()
  expect(box!.x + box!.width).toBeLessThanOrEqual(text!.x)
  await expect(rows.last()).toHaveAttribute('aria-current', 'location')
  await rows.first().click()
  await expect(questions(page).first()).toBeInViewport()
  await expect(rows.first()).toHaveAttribute('aria-current', 'location')
  await page.getByRole('button', { name: 'Go to the end' }).click()
  await expect(rows.last()).toHaveAttribute('aria-current', 'location')
})

test('on a small screen the contents slide in, 280 px wide, and close on selection, Escape and a tap beside them (§2.15, §2.27, §9.11)', async ({
  page,
  user: _,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const opener = page.getByRole('banner').getByRole('button', { name: 'Contents' })
  await expect(opener).toHaveCount(0)
  await send(page, 'show me a table')
  await send(page, 'a second question')
  const panel = page.getByRole('dialog', { name: 'Contents' })
  await opener.click()
  await expect(panel).toBeVisible()
  expect((await panel.locator('> div').first().boundingBox())!.width).toBeCloseTo(280, 1)
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(opener).toBeFocused()
  await opener.click()
  await page.mouse.click(350, 500)
  await expect(panel).toHaveCount(0)
  await opener.click()
  await panel.getByRole('button', { name: 'show me a table' }).click()
  await expect(panel).toHaveCount(0)
  await expect(questions(page).first()).toBeInViewport()
  await expect(questions(page).first()).toBeFocused()
})

for (const { look, viewport, colorScheme } of looks) {
  test(`versions, the editor and the contents are accessible: ${look}`, async ({ page, user: _, axe }) => {
    test.slow()
    await setLook(page, { viewport, colorScheme })
    await send(page, 'hello')
    await regenerate(page)
    await axe(page)
    await questions(page).first().hover()
    await page.getByRole('button', { name: 'Edit message' }).click()
    await axe(page)
    await page.keyboard.press('Escape')
    if (viewport.width < 1024) {
      await page.getByRole('banner').getByRole('button', { name: 'Contents' }).click()
      await axe(page)
    }
    await expectNoSidewaysScroll(page)
  })
}

test('a chat of 10,000 messages opens at its end and can be scrolled, navigated by its contents, and continued (§2.27)', async ({
  page,
  user,
  product,
}) => {
  test.setTimeout(90_000)
  const id = await writeLongChat(product.dataDir, user.email, 10_000)
  await page.goto(`/chat/${id}`)
  await expect(page.getByText('Answer 5000.')).toBeInViewport({ timeout: 20_000 })
  const countNodes = () => page.evaluate(() => document.querySelectorAll('*').length)
  expect(await countNodes()).toBeLessThan(3000)
  const distanceToEnd = () =>
    page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY)
  await expect.poll(distanceToEnd).toBeLessThan(30)

  await page.mouse.move(640, 300)
  for (let turn = 0; turn < 20; turn++) await page.mouse.wheel(0, -600)
  await expect(page.getByText('Answer 5000.')).not.toBeInViewport()
  await expect(questions(page).first()).toBeAttached()
  expect(await countNodes()).toBeLessThan(3000)

  const row = contents(page).getByRole('button')
  await expect(contents(page).getByRole('listitem').last()).toHaveAttribute('aria-setsize', '5000')
  await row.and(page.locator('[tabindex="0"]')).focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Answer 1.')).toBeInViewport()
  await expect(questions(page).first()).toBeFocused()
  expect(await countNodes()).toBeLessThan(3000)

  await input(page).fill('one more')
  await input(page).press('Enter')
  await expect(questions(page).last()).toContainText('one more')
  await expect(questions(page).last()).toBeInViewport()
  await expect(sendButton(page)).toBeVisible()
  await expect.poll(distanceToEnd).toBeLessThan(30)
  expect(await countNodes()).toBeLessThan(3000)
})

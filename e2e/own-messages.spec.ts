import type { Page } from '@playwright/test'
import { sendButton, writeMessage } from './support/chat-page.ts'
import { writeLongChat } from './support/database-rows.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'

const own = (page: Page) => page.getByRole('article', { name: 'You' })

const typed =
  'Please fix **this**:\nit fails\n\n```ts\nconst answer = 42\n```\n\n- first *point*\n- second\n\n| a | b |\n|---|---|\n| 1 | 2 |'
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

test('an own message with code, lists or tables is drawn as markdown, and what was typed is copied and edited (§1.3)', async ({
  page,
  context,
  user: _,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await writeMessage(page, typed)
  await expect(sendButton(page)).toBeVisible()
  const message = own(page)
  await expect(message.locator('pre')).toHaveText('const answer = 42')
  await expect(message.locator('.hljs-keyword')).toHaveText('const')
  await expect(message.getByRole('listitem')).toHaveText(['first point', 'second'])
  await expect(message.getByRole('cell', { name: '2' })).toBeVisible()
  await expect(message.locator('strong').first()).toHaveText('this')
  // A line break that the user typed stays.
  expect(await message.locator('p').first().innerText()).toBe('Please fix this:\nit fails')

  await message.hover()
  await message.getByTitle('Copy message').click()
  await expect(message.getByTitle('Copied!')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(typed)
  await message.getByRole('button', { name: 'Edit message' }).click()
  await expect(message.getByRole('textbox')).toHaveValue(typed)
})

test('lists and tables begin at the side of their own text, also beside code and other scripts', async ({
  page,
  user: _,
}) => {
  await writeMessage(
    page,
    'Two:\n\n1. `npm ci` תחילה\n2. Done.\n\n- one\n- two\n\n| שם | ערך |\n|---|---|\n| API | 5 |',
  )
  await expect(sendButton(page)).toBeVisible()
  const look = (selector: string) =>
    own(page)
      .locator(selector)
      .last()
      .evaluate((element) => {
        const { direction, textAlign } = getComputedStyle(element)
        return `${direction} ${textAlign}`
      })
  expect(await look('ol > li')).toBe('rtl right')
  expect(await look('ul > li')).toBe('ltr left')
  expect(await look('td')).toBe('rtl right')
  expect(await look('p')).toMatch(/^ltr/)
  expect(await look('code')).toMatch(/^ltr/)
})

test('an own message without code, lists and tables stays as it was typed', async ({ page, user: _ }) => {
  const text = '2 * 3 * 4 and _this_ *stays*, 2**3\n  as <b>typed</b>'
  await writeMessage(page, text)
  await expect(sendButton(page)).toBeVisible()
  await expect(own(page).locator('strong, em, b')).toHaveCount(0)
  await expect(own(page)).toContainText('2 * 3 * 4 and _this_ *stays*, 2**3')
})

test('a very long own message is folded, and its button opens and closes it', async ({
  page,
  user,
  product,
}) => {
  const id = await writeLongChat(product.dataDir, user.email, 2, (index) =>
    index === 1 ? `${lines(200)}\nneedle` : 'Short.',
  )
  await page.goto(`/chat/${id}`)
  const height = async () => (await own(page).boundingBox())!.height
  const button = own(page).getByRole('button', { name: 'Show all' })
  await expect(button).toBeVisible()
  expect(await height()).toBeLessThan(600)
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(own(page).getByText('needle')).toBeInViewport({ ratio: 0 })
  expect(await height()).toBeGreaterThan(4000)
  await own(page).getByRole('button', { name: 'Show less' }).click()
  expect(await height()).toBeLessThan(600)
  await expect(own(page)).toBeInViewport()
})

test('twenty lines are not folded', async ({ page, user, product }) => {
  const id = await writeLongChat(product.dataDir, user.email, 2, () => lines(20))
  await page.goto(`/chat/${id}`)
  await expect(own(page).getByText('line 20')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Show all' })).toHaveCount(0)
})

for (const { look, viewport, colorScheme } of looks)
  test(`own messages with markdown are accessible and no wider than the page: ${look}`, async ({
    page,
    user,
    product,
    axe,
  }) => {
    await setLook(page, { viewport, colorScheme })
    const code = `\`\`\`js\n${'const wide = 1; '.repeat(20)}\n\`\`\``
    const texts = [typed, 'Short.', `${code}\n\n${lines(60)}`, 'Short.']
    const id = await writeLongChat(product.dataDir, user.email, 4, (index) => texts[index - 1] ?? '')
    await page.goto(`/chat/${id}`)
    await expect(page.getByRole('button', { name: 'Show all' })).toBeVisible()
    await expectNoSidewaysScroll(page)
    await axe(page)
  })

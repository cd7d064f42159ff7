import type { Page } from '@playwright/test'
import { input } from './support/chat-page.ts'
import { writeLongChat } from './support/database-rows.ts'
import { expect, test } from './support/fixtures.ts'

const line = (length: number, end: string) => `${'abcdefghi+'.repeat(length / 10)}${end}`
const maxPieceChars = 5000

/** The length of the longest text node of the messages. */
const longestNode = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT)
    let longest = 0
    while (walker.nextNode()) longest = Math.max(longest, walker.currentNode.nodeValue?.length ?? 0)
    return longest
  })

test('very long lines are drawn in pieces, copied whole, and found by the browser', async ({
  page,
  user,
  product,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const texts = [line(100_000, 'question'), line(100_000, 'reply')]
  const id = await writeLongChat(product.dataDir, user.email, 2, (index) => texts[index - 1] ?? '')
  await page.goto(`/chat/${id}`)
  const articles = page.getByRole('article')
  await expect(articles).toHaveCount(2)
  await expect(articles.last().locator('.long-text-piece').last()).toBeVisible()
  expect(await longestNode(page)).toBeLessThanOrEqual(maxPieceChars)
  for (const [index, text] of texts.entries()) {
    const box = articles.nth(index).locator(':has(> .long-text-piece)')
    expect(await box.evaluate((element) => element.textContent)).toBe(text)
    // What the user selects and copies has no line breaks that the text does not have.
    const copied = await box.evaluate((element) => {
      getSelection()?.selectAllChildren(element)
      return getSelection()?.toString().trimEnd()
    })
    expect(copied).toBe(text)
  }
  const isFound = (text: string) =>
    page.evaluate((text) => {
      getSelection()?.removeAllRanges()
      return (window as unknown as { find: (text: string) => boolean }).find(text)
    }, text)
  expect(await isFound('question')).toBe(true)
  expect(await isFound('reply')).toBe(true)
  expect(await isFound('nothing like this')).toBe(false)
})

test('a line of a million characters can be pasted, and is kept as a draft', async ({
  page,
  context,
  user: _,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const text = line(1_000_000, 'pasted')
  await page.evaluate((text) => navigator.clipboard.writeText(text), text)
  await input(page).press('ControlOrMeta+v')
  // A long text becomes a file first.
  await page.getByRole('button', { name: 'Put into the message' }).click()
  await expect(input(page)).toHaveValue(text)
  await expect(input(page)).toHaveCSS('unicode-bidi', 'isolate')
  await page.keyboard.type('!')
  await page.reload()
  await expect(input(page)).toHaveValue(`${text}!`)
})

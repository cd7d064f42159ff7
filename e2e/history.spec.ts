import type { Page } from '@playwright/test'
import type { Project } from '@yonder/contract/project'
import { sendButton, writeMessage } from './support/chat-page.ts'
import { writeLongChat } from './support/database-rows.ts'
import { expect, looks, setLook, test as plain } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { callApi, lastTurn, send, test } from './support/tools-fixtures.ts'

const results = (page: Page) => page.getByRole('dialog', { name: 'Search chats' }).getByRole('listitem')

/** The marked word that a search leads to: its text, and the text of the message around it if that is in view. */
const shownMatch = (page: Page) =>
  page.evaluate(() => {
    const [range] = CSS.highlights.get('found-current') ?? []
    if (!(range instanceof Range)) return undefined
    const { top, bottom } = range.getBoundingClientRect()
    const edge = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
    const message = range.startContainer.parentElement?.closest('article')
    return {
      word: range.toString(),
      isInView: top >= edge && bottom <= innerHeight * 0.85,
      hasFocus: message === document.activeElement,
    }
  })

test('the preview in the history has no markdown marks, like the list of contents (§2.43)', async ({
  page,
  model,
}) => {
  model.reply(['1. **First** [a link](https://a.example)\n2. ~~old~~ `code`'])
  await send(page, 'Hello')
  await expect(lastTurn(page)).toContainText('First a link')
  await page.getByRole('button', { name: 'Search chats' }).click()
  await expect(page.getByRole('dialog').getByRole('listitem').first()).toContainText('First a link old code')
})

for (const { look, viewport, colorScheme } of looks)
  plain(
    `with the keyboard alone, a user searches, sees the passage, and opens the chat at its message, also after a reload: ${look} (§2.43, §2.44)`,
    async ({ page, user, product, axe }) => {
      const texts = new Map([
        [40, 'A Ferry leaves every hour, says the timetable.'],
        [
          200,
          `${'Much is to be said about the islands. '.repeat(30)}\n\nTake the 9:40 **ferry** from Saltholmen.`,
        ],
        [201, 'Is there a later ferry?'],
      ])
      const id = await writeLongChat(
        product.dataDir,
        user.email,
        400,
        (index) => texts.get(index) ?? `Text ${index}.`,
      )
      const { id: project } = await callApi<Project>(page, 'POST', '/api/project', { name: 'Islands' })
      await callApi(page, 'PATCH', '/api/chats', { chats: [id], change: { project_id: project } })
      await setLook(page, { viewport, colorScheme })
      await page.keyboard.press('Control+k')
      await page.keyboard.type('FERRY salt')
      await page.keyboard.press('Enter')
      const row = results(page).first()
      await expect(row).toContainText('…the islands. Take the 9:40 ferry from Saltholmen.')
      await expect(row).toContainText(/1 passage, \d\d:\d\d by claude-owl, in Islands/)
      await expect(row.locator('mark')).toHaveText(['ferry', 'Salt'])
      await axe(page)
      await expectNoSidewaysScroll(page)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      const atPassage = { word: 'ferry', isInView: true, hasFocus: true }
      await expect.poll(() => shownMatch(page)).toEqual(atPassage)
      const bar = page.getByRole('search', { name: 'Find in this chat' })
      await expect(bar.getByRole('status')).toHaveText('2 of 4')
      await axe(page)
      await expectNoSidewaysScroll(page)

      await page.reload()
      await expect.poll(() => shownMatch(page)).toEqual(atPassage)
      await page.keyboard.press('F3')
      await expect(bar.getByRole('status')).toHaveText('3 of 4')
      await expect(page).toHaveURL(`/chat/${id}`)
      await page.reload()
      await expect(page.getByText('Text 400.')).toBeInViewport()
      await expect(bar).toHaveCount(0)
    },
  )

plain(
  'a passage in another version opens with its version, also in another tab, and in the chat that is shown (§4.25)',
  async ({ page, context, user: _ }) => {
    await writeMessage(page, 'Tell me about lighthouses')
    await expect(page).toHaveURL(/\/chat\/[^/]+$/)
    await expect(sendButton(page)).toBeVisible()
    const question = page.getByRole('article', { name: 'You' })
    await question.hover()
    await question.getByRole('button', { name: 'Edit message' }).click()
    await question.getByRole('textbox').fill('Tell me about harbours')
    await question.getByRole('button', { name: 'Send' }).click()
    await expect(question).toContainText('harbours')
    await expect(question.getByText('2/2')).toBeVisible()
    await expect(sendButton(page)).toBeVisible()
    const search = async () => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('lighthouses tell')
      await page.keyboard.press('Enter')
      await expect(results(page)).toHaveCount(1)
      return results(page).getByRole('link')
    }
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      (await search()).click({ modifiers: ['ControlOrMeta'] }),
    ])
    await expect(tab.getByRole('article', { name: 'You' })).toContainText('lighthouses')
    await expect(tab.getByRole('article', { name: 'You' }).getByText('1/2')).toBeVisible()
    await expect.poll(() => shownMatch(tab)).toMatchObject({ word: 'Tell', isInView: true })
    // The choice is everywhere.
    await expect(question).toContainText('lighthouses')
    await tab.close()
    await page.keyboard.press('Escape')

    await question.getByRole('button', { name: 'Next version' }).click()
    await expect(question).toContainText('harbours')
    await (await search()).click()
    await expect(question).toContainText('lighthouses')
    await expect.poll(() => shownMatch(page)).toEqual({ word: 'Tell', isInView: true, hasFocus: true })
    await page.reload()
    await expect(question.getByText('1/2')).toBeVisible()
  },
)

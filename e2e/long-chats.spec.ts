import type { Locator, Page } from '@playwright/test'
import type { Chat } from '@yonder/contract/chat'
import { startSmallWindowModel, type SmallWindowModel } from '../server/testing/models/small-window-model.ts'
import { openTab, stopButton, writeMessage } from './support/chat-page.ts'
import { writeLongChat, writeSummary } from './support/database-rows.ts'
import { expect, looks, test as base } from './support/fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'
import { callApi, lastTurn } from './support/tools-fixtures.ts'

const windowTokens = 8_000
const filler = 'Tell me about the weather in the mountains. '.repeat(36)

interface LongChatFixtures {
  /** The model of the user's only bot. It remembers only what its prompt contains. */
  readonly model: SmallWindowModel
  /** `page` shows a chat that no longer fits into the context window. It begins with a fact. */
  readonly longChat: string
}

const test = base.extend<LongChatFixtures>({
  model: async ({ page, account: _ }, use) => {
    const model = await startSmallWindowModel(windowTokens)
    await callApi(page, 'DELETE', '/api/bot/Yonder%20Demo')
    await callApi(page, 'POST', '/api/bot', {
      name: 'Small',
      model: 'small',
      base_url: model.baseUrl,
      context_window: windowTokens,
    })
    await use(model)
    await model.close()
  },
  longChat: async ({ page, product, account, model: _ }, use) => {
    const textOf = (index: number) =>
      index === 1 ? 'FACT apple=green' : index % 2 === 1 ? `${index}: ${filler}` : 'I will remember it.'
    const url = `/chat/${await writeLongChat(product.dataDir, account.email, 50, textOf)}`
    await page.goto(url)
    await use(url)
  },
})

test.describe.configure({ timeout: 120_000 })

const summaries = (page: Page) =>
  page.getByRole('complementary', { name: /^Summary of \d+ earlier messages$/ })
const line = (summary: Locator) => summary.getByRole('button', { name: /^Summary of/ })
const action = (summary: Locator, name: string) => summary.getByRole('button', { name, exact: true })

async function summarize(page: Page): Promise<Locator> {
  await writeMessage(page, 'What is apple?')
  await expect(lastTurn(page)).toContainText('It is green.')
  await expect(summaries(page)).toHaveCount(1)
  return summaries(page)
}

async function openSummary(page: Page): Promise<Locator> {
  await line(summaries(page)).click()
  return summaries(page)
}

test('a user sees that a long chat is summarised, opens the summary, edits it, has it written again and removes it', async ({
  page,
  model,
  longChat,
}) => {
  const summary = await summarize(page)
  await expect(summary).toContainText('The model reads this instead of them.')
  await line(summary).click()
  await expect(summary.getByText('FACT apple=green')).toBeVisible()
  await expect(summary).toContainText('Small · small')

  await action(summary, 'Edit').click()
  await summary.getByRole('textbox', { name: 'Summary' }).fill('FACT apple=yellow')
  await action(summary, 'Save').click()
  await expect(summary.getByText('Edited', { exact: true })).toBeVisible()
  await expect(action(summary, 'Edit')).toBeFocused()
  await writeMessage(page, 'What is apple?')
  await expect(lastTurn(page)).toContainText('It is yellow.')

  await page.reload()
  await openSummary(page)
  await expect(summary.getByText('FACT apple=yellow')).toBeVisible()
  await expect(summary.getByText('Edited', { exact: true })).toBeVisible()

  const before = model.summaries
  await action(summary, 'Write again').click()
  await expect(summary.getByText('FACT apple=green')).toBeVisible()
  await expect(summary.getByText('Edited', { exact: true })).toBeHidden()
  expect(model.summaries).toBeGreaterThan(before)

  await action(summary, 'Remove summary').click()
  const question = page.getByRole('alertdialog', { name: 'Remove this summary?' })
  await expect(question).toContainText('sent to the model again')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(action(summary, 'Remove summary')).toBeFocused()
  await action(summary, 'Remove summary').click()
  await question.getByRole('button', { name: 'Remove' }).click()
  await expect(summary).toHaveCount(0)
  await expect(page.getByPlaceholder('Type your message...')).toBeFocused()
  await page.goto(longChat)
  await expect(page.getByRole('article').last()).toBeVisible()
  await expect(summary).toHaveCount(0)
})

test('a user stops a reply while older messages are summarised: no summary appears', async ({
  page,
  model,
  longChat: _,
}) => {
  model.holdNext()
  await writeMessage(page, 'What is apple?')
  await model.held()
  await expect(lastTurn(page).getByText(/^Summarising \d+ earlier messages…$/)).toBeVisible()
  await expect(
    page.getByRole('status').filter({ hasText: /^Summarising \d+ earlier messages…$/ }),
  ).toHaveCount(1)
  await stopButton(page).click()
  await expect(lastTurn(page)).toContainText('Stopped.')
  await expect(summaries(page)).toHaveCount(0)
  await page.reload()
  await expect(lastTurn(page)).toContainText('Stopped.')
  await expect(summaries(page)).toHaveCount(0)
})

test('another tab shows a summary and its changes at once, and a text that was edited before them is refused', async ({
  page,
  context,
  longChat,
  problems,
}) => {
  const second = await openTab(context, longChat)
  await expect(lastTurn(second)).toBeVisible()
  await summarize(page)
  await expect(summaries(second)).toHaveCount(1)
  const [here, there] = [await openSummary(page), await openSummary(second)]

  await action(there, 'Edit').click()
  await there.getByRole('textbox', { name: 'Summary' }).fill('FACT apple=blue')
  await action(here, 'Edit').click()
  await here.getByRole('textbox', { name: 'Summary' }).fill('FACT apple=red')
  await action(here, 'Save').click()
  await expect(here.getByText('FACT apple=red')).toBeVisible()
  problems.expect(/status of 409/)
  problems.expect(/could not be saved/)
  await action(there, 'Save').click()
  await expect(second.getByText(/^The summary could not be saved: /)).toBeVisible()
  await expect(there.getByRole('textbox', { name: 'Summary' })).toHaveValue('FACT apple=blue')
  await action(there, 'Cancel').click()
  await expect(there.getByText('FACT apple=red')).toBeVisible()

  await action(here, 'Remove summary').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(here).toHaveCount(0)
  await expect(there).toHaveCount(0)
})

test('a summary that cannot be written again stays, with the reason; another tab shows that it is being written and cannot replace it', async ({
  page,
  context,
  model,
  longChat,
  problems,
}) => {
  const summary = await summarize(page)
  await openSummary(page)
  model.summarizeWith(' ')
  problems.expect(/could not be written again/)
  problems.expect(/status of 502/)
  await action(summary, 'Write again').click()
  await expect(
    page.getByText('The summary could not be written again: The model returned an empty summary.'),
  ).toBeVisible()
  await expect(summary.getByText('FACT apple=green')).toBeVisible()
  model.summarizeWith(undefined)

  const second = await openTab(context, longChat)
  const there = await openSummary(second)
  await action(there, 'Edit').click()
  await there.getByRole('textbox', { name: 'Summary' }).fill('Mine')
  model.holdNext()
  await action(summary, 'Write again').click()
  await model.held()
  await expect(action(summary, 'Writing again…')).toHaveAttribute('aria-busy', 'true')
  await expect(action(summary, 'Edit')).toBeDisabled()
  await expect(action(summary, 'Remove summary')).toBeDisabled()
  problems.expect(/status of 409/)
  problems.expect(/could not be saved/)
  await action(there, 'Save').click()
  await expect(
    second.getByText('This summary is being written again. Wait until that is finished, then try again.'),
  ).toBeVisible()
  await expect(there.getByRole('textbox', { name: 'Summary' })).toHaveValue('Mine')
  await action(there, 'Cancel').click()
  await expect(action(there, 'Writing again…')).toHaveAttribute('aria-busy', 'true')
  await expect(action(there, 'Edit')).toBeDisabled()
  // Leaving the page ends its request.
  await page.goto('about:blank')
  await expect(action(there, 'Write again')).toBeEnabled()
  await expect(action(there, 'Edit')).toBeEnabled()
})

test('a user opens a summary at the end of a chat and reads from its top; an edited text is still there after a reload', async ({
  page,
  product,
  longChat,
}) => {
  const chatId = longChat.replace('/chat/', '')
  await writeSummary(product.dataDir, chatId, `A summary. ${filler.repeat(4)}`)
  await page.reload()
  const summary = summaries(page)
  await expect(line(summary)).toBeInViewport()
  await line(summary).click()
  const text = summary.getByRole('region', { name: 'Text of the summary' })
  await expect(text).toBeVisible()
  await expect(line(summary)).toBeInViewport({ ratio: 1 })
  await text.scrollIntoViewIfNeeded()
  await action(summary, 'Edit').click()
  await summary.getByRole('textbox', { name: 'Summary' }).fill('Not saved yet')
  await page.reload()
  await expect(summary.getByRole('textbox', { name: 'Summary' })).toHaveValue('Not saved yet')
  await action(summary, 'Save').click()
  await expect(text).toHaveText('Not saved yet')
})

test('a user reads and changes a summary with the keyboard alone, and Escape asks before it discards', async ({
  page,
  longChat: _,
}) => {
  const summary = await summarize(page)
  await line(summary).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(summary.getByRole('region', { name: 'Text of the summary' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const box = summary.getByRole('textbox', { name: 'Summary' })
  await expect(box).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.type(' and more')
  await page.keyboard.press('Escape')
  const question = page.getByRole('alertdialog', { name: 'Discard changes?' })
  await question.getByRole('button', { name: 'Keep editing' }).press('Enter')
  await expect(box).toBeFocused()
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Discard' }).press('Enter')
  await expect(action(summary, 'Edit')).toBeFocused()
  await expect(summary).not.toContainText('and more')
})

test('links and images of a summary follow the rules of replies, and a visitor of the shared chat sees no summary', async ({
  page,
  openBrowser,
  longChat,
}) => {
  await summarize(page)
  const chatId = longChat.replace('/chat/', '')
  const chat = await callApi<Chat>(page, 'GET', `/api/chats/${chatId}`)
  const content = '![A pixel](https://tracker.example/p.png) [A link](https://example.com) <b>raw</b>'
  await callApi(page, 'PUT', `/api/chats/${chatId}/compactions/${chat.compactions?.[0]?.id}`, { content })
  const summary = await openSummary(page)
  await expect(summary.getByText('from tracker.example')).toBeVisible()
  await expect(summary.locator('img')).toHaveCount(0)
  await expect(summary.getByRole('link', { name: 'A link' })).toHaveAttribute('rel', /noopener/)
  await expect(summary).toContainText('<b>raw</b>')
  const messageId = (await callApi<Chat>(page, 'GET', `/api/chats/${chatId}`)).selected_message_id
  const { shareId } = await callApi<{ shareId: string }>(page, 'POST', `/api/share/${chatId}`, { messageId })
  const visitor = await (await openBrowser()).newPage()
  await visitor.goto(`/share/${shareId}`)
  await expect(lastTurn(visitor)).toContainText('It is green.')
  await expect(summaries(visitor)).toHaveCount(0)
})

for (const { look, ...settings } of looks) {
  test.describe(look, () => {
    test.use(settings)

    test('summaries are readable in every state and break no rule of accessibility', async ({
      page,
      model,
      longChat,
      axe,
    }) => {
      await page.evaluate(() => localStorage.setItem('theme', 'system'))
      await page.reload()
      const chatId = longChat.replace('/chat/', '')
      const check = async () => {
        await dismissToasts(page)
        await axe(page)
        await expectNoSidewaysScroll(page)
      }
      model.holdNext()
      await writeMessage(page, 'What is apple?')
      await model.held()
      await expect(lastTurn(page).getByText(/^Summarising/)).toBeVisible()
      await check()
      await stopButton(page).click()
      await expect(lastTurn(page)).toContainText('Stopped.')
      const summary = await summarize(page)
      await line(summary).scrollIntoViewIfNeeded()
      await check()
      const chat = await callApi<Chat>(page, 'GET', `/api/chats/${chatId}`)
      const long = `# What happened\n\n${'A paragraph of a **long** summary about the mountains. '.repeat(1_500)}`
      const path = `/api/chats/${chatId}/compactions/${chat.compactions?.[0]?.id}`
      await callApi(page, 'PUT', path, { content: `${long}${'x'.repeat(100_000 - long.length)}` })
      await openSummary(page)
      await expect(summary.getByText('Edited', { exact: true })).toBeVisible()
      await action(summary, 'Edit').scrollIntoViewIfNeeded()
      await check()
      await action(summary, 'Edit').click()
      const box = summary.getByRole('textbox', { name: 'Summary' })
      await action(summary, 'Save').scrollIntoViewIfNeeded()
      await check()
      await box.fill('x'.repeat(100_001))
      await expect(summary).toContainText('A summary has at most 100,000 characters. This one has 100,001.')
      await expect(action(summary, 'Save')).toBeDisabled()
      await action(summary, 'Save').scrollIntoViewIfNeeded()
      await check()
      await action(summary, 'Cancel').click()
      model.holdNext()
      await action(summary, 'Write again').click()
      await model.held()
      await check()
      await page.reload()
      await openSummary(page)
      await action(summary, 'Remove summary').click()
      await expect(page.getByRole('alertdialog')).toBeVisible()
      await check()
    })
  })
}

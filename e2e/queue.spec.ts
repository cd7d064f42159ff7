import type { Page } from '@playwright/test'
import type { Gate, ScriptedModel } from '../server/testing/models/scripted-model.ts'
import { input, openTab, sendButton, stopButton } from './support/chat-page.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { addConnector, block, callTool, lastTurn, send, test } from './support/tools-fixtures.ts'

const list = (page: Page) => page.getByRole('list', { name: 'Queued messages' })
const rows = (page: Page) => list(page).getByRole('listitem')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const own = (page: Page) => page.getByRole('article', { name: 'You' })
/** The texts of the user's messages in the chat. */
const ownTexts = (page: Page) => own(page).locator('[data-typed-text]')

/** Opens a chat with a reply that goes on when the returned gate is opened. */
async function startReply(page: Page, model: ScriptedModel): Promise<Gate> {
  const gate = model.gate()
  model.when('Why is it slow?', ['One thread ', gate, 'writes it all.', { finish: 'stop' }])
  await send(page, 'Why is it slow?')
  await expect(lastTurn(page)).toContainText('One thread')
  return gate
}

async function queue(page: Page, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    await input(page).fill(text)
    await input(page).press('Enter')
    await expect(input(page)).toHaveValue('')
    await expect(row(page, text)).toBeVisible()
    await expect(row(page, text)).not.toHaveAttribute('aria-busy', 'true')
  }
}

const menuItem = async (page: Page, text: string, name: RegExp) => {
  await row(page, text).getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name }).click()
}

test('a user queues two messages while a reply is written, and each is sent when the reply before it ends', async ({
  page,
  model,
}) => {
  const gate = await startReply(page, model)
  await input(page).fill('And the disk?')
  await expect(button(page, 'Queue')).toBeVisible()
  await expect(stopButton(page)).toBeVisible()
  await button(page, 'Queue').click()
  await expect(rows(page)).toHaveText(/And the disk\?/)
  await expect(input(page)).toBeFocused()
  await queue(page, 'And the old ones?')
  await expect(rows(page)).toHaveCount(2)
  model.when('And the disk?', ['It is idle.'])
  model.when('And the old ones?', ['Thirty days.'])
  gate.open()
  await expect(lastTurn(page)).toContainText('Thirty days.')
  await expect(list(page)).toHaveCount(0)
  await expect(ownTexts(page)).toHaveText(['Why is it slow?', 'And the disk?', 'And the old ones?'])
  await expect(sendButton(page)).toBeVisible()
  await page.reload()
  await expect(ownTexts(page)).toHaveText(['Why is it slow?', 'And the disk?', 'And the old ones?'])
})

test('a user edits, reorders and removes queued messages, and undoes the removal; another tab and a device show it', async ({
  page,
  model,
  context,
  account,
  openDevice,
}) => {
  await startReply(page, model)
  await queue(page, 'One', 'Two', 'Three')
  const tab = await openTab(context, page.url())
  const device = await openDevice(account, page.url())
  const everywhere = async (...texts: readonly string[]) => {
    for (const screen of [page, tab, device])
      await expect(rows(screen)).toHaveText(texts.map((text) => new RegExp(`^${text}`)))
  }
  await everywhere('One', 'Two', 'Three')
  await row(page, 'Two').getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Queued message' }).fill('Second')
  await button(page, 'Save').click()
  await everywhere('One', 'Second', 'Three')
  await menuItem(tab, 'Three', /Move up/)
  await everywhere('One', 'Three', 'Second')
  await menuItem(page, 'Three', /Remove/)
  await everywhere('One', 'Second')
  await button(page, 'Undo').click()
  await everywhere('One', 'Three', 'Second')
  const grip = row(page, 'Second').locator('.queue-grip')
  await grip.dragTo(row(page, 'One'), { targetPosition: { x: 30, y: 4 } })
  await everywhere('Second', 'One', 'Three')
  await page.reload()
  await everywhere('Second', 'One', 'Three')
})

test('a user steers a message into the running reply at its next step, and it is a turn of its own', async ({
  page,
  model,
  everything,
}) => {
  await addConnector(page, { name: 'everything', url: everything.url })
  const gate = model.gate()
  model.reply(['I will look. ', gate, callTool('everything__echo', { message: 'gzip' })])
  await send(page, 'Which one is used?')
  await expect(lastTurn(page)).toContainText('I will look.')
  await queue(page, 'Use zstd, please', 'Later then')
  await row(page, 'Use zstd').getByRole('button', { name: 'Steer' }).click()
  await expect(row(page, 'Use zstd')).toContainText('Goes in at the next step')
  await button(page, 'Take back').click()
  await expect(page.getByText('Goes in at the next step')).toHaveCount(0)
  await row(page, 'Use zstd').getByRole('button', { name: 'Steer' }).click()
  await expect(row(page, 'Use zstd')).toContainText('Goes in at the next step')
  const second = model.gate()
  model.reply(['With zstd ', second, 'then.'])
  gate.open()
  await expect(lastTurn(page)).toContainText('With zstd')
  await expect(ownTexts(page)).toHaveText(['Which one is used?', 'Use zstd, please'])
  await expect(rows(page)).toHaveText(/Later then/)
  await expect(block(page, 'Echo Tool')).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(4)
  // It has its own entry in the contents.
  await expect(page.getByRole('navigation', { name: 'Contents' })).toContainText('Use zstd, please')
  await page.reload()
  await expect(page.getByRole('article')).toHaveCount(4)
  await expect(ownTexts(page)).toHaveText(['Which one is used?', 'Use zstd, please'])
  model.reply(['Later it is.'])
  second.open()
  await expect(lastTurn(page)).toContainText('Later it is.')
  await expect(ownTexts(page)).toHaveText(['Which one is used?', 'Use zstd, please', 'Later then'])
})

test('a user sends a queued message now: the reply stops and keeps its text', async ({ page, model }) => {
  await startReply(page, model)
  await queue(page, 'First in line', 'Urgent')
  model.when('Urgent', ['At once.', { finish: 'stop' }])
  model.when('First in line', ['In turn.'])
  await row(page, 'Urgent').getByRole('button', { name: 'Send now' }).click()
  await expect(page.getByRole('article').nth(1)).toContainText('One thread')
  await expect(page.getByText('At once.')).toBeVisible()
  await expect(lastTurn(page)).toContainText('In turn.')
  await expect(ownTexts(page)).toHaveText(['Why is it slow?', 'Urgent', 'First in line'])
})

test('a stopped reply pauses the queue until the user continues, and a message can be sent before that', async ({
  page,
  model,
}) => {
  await startReply(page, model)
  await queue(page, 'Afterwards')
  await input(page).press('Escape')
  await expect(page.getByText('Paused: you stopped the reply.')).toBeVisible()
  await page.reload()
  await expect(page.getByText('Paused: you stopped the reply.')).toBeVisible()
  model.when('Afterwards', ['Afterwards it is.'])
  await button(page, 'Continue').click()
  await expect(lastTurn(page)).toContainText('Afterwards it is.')
  await expect(list(page)).toHaveCount(0)
})

test('a call that waits for approval pauses the queue, and Continue denies it', async ({ page, model }) => {
  const gate = model.gate()
  model.reply(['I will count. ', gate, callTool('default__calculate', { expression: '2 + 3' })])
  await send(page, 'How much is it?')
  await expect(lastTurn(page)).toContainText('I will count.')
  await queue(page, 'Then the next sum')
  gate.open()
  await expect(page.getByText('Paused: a tool call waits for you. Continue denies it.')).toBeVisible()
  await expect(page.getByText('A tool call needs your approval. Sending a message denies it.')).toBeVisible()
  await expect(button(page, 'Allow Once')).toBeEnabled()
  await expect(row(page, 'Then the next sum')).toBeVisible()
  model.reply(['As you wish.'])
  await button(page, 'Continue').click()
  await expect(lastTurn(page)).toContainText('As you wish.')
  await expect(block(page, 'Calculator')).toContainText('Denied')
})

test('an approved call lets the queue go on after its reply', async ({ page, model }) => {
  const gate = model.gate()
  model.reply([gate, callTool('default__calculate', { expression: '2 + 3' })])
  await send(page, 'How much is it?')
  await expect(stopButton(page)).toBeVisible()
  await queue(page, 'Then the next sum')
  gate.open()
  await expect(button(page, 'Allow Once')).toBeEnabled()
  model.reply(['Five.'])
  model.reply(['And seven.'])
  await button(page, 'Allow Once').click()
  await expect(lastTurn(page)).toContainText('And seven.')
  await expect(ownTexts(page)).toHaveText(['How much is it?', 'Then the next sum'])
})

test('a message queued offline waits in the list over a reload, and is queued once when the page is online again', async ({
  page,
  model,
  context,
  problems,
}) => {
  problems.expect(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|Error queueing message|could not be reached|fetch/)
  const gate = await startReply(page, model)
  await queue(page, 'Queued online')
  await context.setOffline(true)
  await input(page).fill('Queued offline')
  await input(page).press('Enter')
  await expect(row(page, 'Queued offline')).toContainText('Not queued yet. You are offline.')
  await expect(input(page)).toHaveValue('')
  await context.setOffline(false)
  await expect(page.getByText(/Not queued yet/)).toHaveCount(0)
  await expect(rows(page)).toHaveCount(2)
  // The next one does not reach the server before the page is closed.
  await page.route('**/api/chat/queue', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.fallback(),
  )
  await input(page).fill('Queued before a reload')
  await input(page).press('Enter')
  await expect(row(page, 'Queued before a reload')).toBeVisible()
  await page.unroute('**/api/chat/queue')
  await page.reload()
  await expect(rows(page)).toHaveText([/Queued online/, /Queued offline/, /Queued before a reload/])
  await expect(row(page, 'Queued before a reload')).not.toHaveAttribute('aria-busy', 'true')
  gate.open()
  await expect(ownTexts(page)).toHaveText([
    'Why is it slow?',
    'Queued online',
    'Queued offline',
    'Queued before a reload',
  ])
  await expect(sendButton(page)).toBeVisible()
})

test('the eleventh message and one that is too long are put back into the input with the reason', async ({
  page,
  model,
  problems,
}) => {
  problems.expect(/400|413|409|Error queueing message/)
  await startReply(page, model)
  await input(page).fill('x'.repeat(16_001))
  await input(page).press('Enter')
  await expect(
    page.getByText(/^Your message is in the input again, because it was not queued:.*16,000/),
  ).toBeVisible()
  await expect(input(page)).toHaveValue('x'.repeat(16_001))
  await input(page).fill('')
  await queue(page, ...Array.from({ length: 10 }, (_, index) => `Number ${index}.`))
  await input(page).fill('One too many')
  await input(page).press('Enter')
  await expect(page.getByText(/At most 10 messages can wait/)).toBeVisible()
  await expect(input(page)).toHaveValue('One too many')
  await expect(rows(page)).toHaveCount(10)
})

test('the queue is used with the keyboard alone', async ({ page, model }) => {
  await startReply(page, model)
  await queue(page, 'One', 'Two', 'Three')
  const { keyboard } = page
  await expect(input(page)).toBeFocused()
  await keyboard.press('ArrowUp')
  await expect(row(page, 'Three')).toBeFocused()
  await keyboard.press('Alt+ArrowUp')
  await expect(rows(page)).toHaveText([/^One/, /^Three/, /^Two/])
  await expect(row(page, 'Three')).toBeFocused()
  await keyboard.press('ArrowUp')
  await keyboard.press('Enter')
  await keyboard.type(' and a half')
  await keyboard.press('Enter')
  await expect(rows(page)).toHaveText([/^One and a half/, /^Three/, /^Two/])
  await expect(row(page, 'One and a half')).toBeFocused()
  await keyboard.press('Delete')
  await expect(rows(page)).toHaveText([/^Three/, /^Two/])
  await expect(row(page, 'Three')).toBeFocused()
  await keyboard.press('Tab')
  await expect(row(page, 'Three').getByRole('button', { name: 'Steer' })).toBeFocused()
  await keyboard.press('Escape')
  await expect(input(page)).toBeFocused()
  await expect(stopButton(page)).toBeVisible()
  await keyboard.press('Escape')
  await expect(page.getByText('Paused: you stopped the reply.')).toBeVisible()
})

for (const { look, viewport, colorScheme } of looks)
  test(`the queue is accessible, and moves nothing that is being read: ${look}`, async ({
    page,
    model,
    axe,
  }) => {
    await setLook(page, { viewport, colorScheme })
    const lines = Array.from({ length: 60 }, (_, index) => `Line ${index}\n\n`)
    const gate = model.gate()
    model.reply([...lines, gate, 'The end.'])
    await send(page, 'A long one')
    await expect(lastTurn(page)).toContainText('Line 59')
    await page.mouse.wheel(0, -600)
    await expect(button(page, 'Go to the end')).toBeVisible()
    const place = () =>
      page.getByText('Line 40', { exact: true }).evaluate((element) => element.getBoundingClientRect().top)
    const before = await place()
    await queue(page, 'One', 'Verylongword'.repeat(20), 'Three', 'Four')
    expect(Math.abs((await place()) - before)).toBeLessThan(1)
    const { height } = (await list(page).boundingBox()) ?? { height: 0 }
    expect(height).toBeLessThan(viewport.width < 640 ? 3 * 40 : 6 * 40)
    await expectNoSidewaysScroll(page)
    await axe(page)
    await rows(page).first().getByRole('button', { name: 'Edit' }).click()
    await axe(page)
    await page.keyboard.press('Escape')
    await rows(page).first().getByRole('button', { name: 'More' }).click()
    await axe(page)
    await page.keyboard.press('Escape')
    await button(page, 'Stop').click()
    await expect(page.getByText('Paused: you stopped the reply.')).toBeVisible()
    await axe(page)
  })

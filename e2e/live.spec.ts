import type { BrowserContext, Page } from '@playwright/test'
import type { ScriptedModel, Step } from '../server/testing/models/scripted-model.ts'
import { input, openTab, sendButton, stopButton, writeMessage } from './support/chat-page.ts'
import { expect } from './support/fixtures.ts'
import { test } from './support/tools-fixtures.ts'

const lastReply = (page: Page) => page.getByRole('article').last()
const replyText = (page: Page) => lastReply(page).locator('.markdown')

async function send(page: Page, text: string): Promise<void> {
  await expect(sendButton(page)).toBeVisible()
  await writeMessage(page, text)
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
const counting = (from: number, to: number): Step[] =>
  numbers(from, to).flatMap((number): Step[] => [`${number} `, { delay: 20 }])
const counted = (to: number) => numbers(0, to).join(' ')

/** Opens a chat by sending its first message, to which the model replies with `steps`. */
async function startChat(page: Page, model: ScriptedModel, steps: readonly Step[]): Promise<void> {
  model.reply(steps)
  await send(page, 'Count')
  await expect(page).toHaveURL(/\/chat\/[^/]+$/)
}

/** Returns a function that counts the open live streams of a browser. */
function countStreams(context: BrowserContext): () => number {
  const open = new Set<object>()
  context.on('request', (request) => {
    if (new URL(request.url()).pathname !== '/api/live') return
    open.add(request)
    request
      .frame()
      .page()
      .once('close', () => open.delete(request))
  })
  context.on('requestfailed', (request) => open.delete(request))
  context.on('requestfinished', (request) => open.delete(request))
  return () => open.size
}

test('two tabs and another device show the same stream, and a reloaded tab resumes it', async ({
  page,
  account: user,
  model,
  context,
  openDevice,
}) => {
  const gate = model.gate()
  await startChat(page, model, [...counting(0, 20), gate, ...counting(20, 60), { finish: 'stop' }])
  const second = await openTab(context, page.url())
  const device = await openDevice(user, page.url())
  for (const screen of [page, second, device]) await expect(replyText(screen)).toHaveText(counted(20))
  await second.reload()
  await expect(replyText(second)).toHaveText(counted(20))
  gate.open()
  for (const screen of [page, second, device]) {
    await expect(replyText(screen)).toHaveText(counted(60))
    await expect(sendButton(screen)).toBeVisible()
  }
})

test('a message sent in one tab or device appears in the others while the reply streams', async ({
  page,
  account: user,
  model,
  context,
  openDevice,
}) => {
  await startChat(page, model, ['First', { finish: 'stop' }])
  await expect(replyText(page)).toHaveText('First')
  const second = await openTab(context, page.url())
  const device = await openDevice(user, page.url())
  for (const screen of [second, device]) await expect(replyText(screen)).toHaveText('First')
  let articles = 2
  for (const sender of [page, second, device]) {
    const gate = model.gate()
    model.reply(['Begun', gate, ' and ended', { finish: 'stop' }])
    await send(sender, `from ${articles}`)
    articles += 2
    for (const screen of [page, second, device]) {
      await expect(screen.getByRole('article')).toHaveCount(articles)
      await expect(replyText(screen)).toHaveText('Begun')
      await expect(stopButton(screen)).toBeVisible()
    }
    gate.open()
    for (const screen of [page, second, device]) {
      await expect(replyText(screen)).toHaveText('Begun and ended')
      await expect(sendButton(screen)).toBeVisible()
    }
  }
})

test('a reply can be stopped in every tab and device, and is then stopped in all (§4.15)', async ({
  page,
  account: user,
  model,
  context,
  openDevice,
}) => {
  await startChat(page, model, ['First', { finish: 'stop' }])
  await expect(replyText(page)).toHaveText('First')
  const second = await openTab(context, page.url())
  const device = await openDevice(user, page.url())
  await expect(replyText(device)).toHaveText('First')
  let articles = 2
  for (const stopper of [second, device]) {
    model.reply(counting(0, 500))
    await send(page, 'Count')
    articles += 2
    // Until the new reply is shown, the last one is the previous one, with the same text.
    await expect(stopper.getByRole('article')).toHaveCount(articles)
    await expect(replyText(stopper)).toContainText('3 4')
    await stopButton(stopper).click()
    for (const screen of [page, second, device]) {
      await expect(lastReply(screen)).toContainText('Stopped.')
      await expect(sendButton(screen)).toBeVisible()
    }
    const text = await replyText(page).innerText()
    for (const screen of [second, device]) await expect(replyText(screen)).toHaveText(text)
  }
})

test('a new version of a reply, and a change of the selected version, appear in every tab and device (§2.35, §4.24)', async ({
  page,
  account: user,
  model,
  context,
  openDevice,
}) => {
  await startChat(page, model, ['First', { finish: 'stop' }])
  await expect(replyText(page)).toHaveText('First')
  const second = await openTab(context, page.url())
  const device = await openDevice(user, page.url())
  await expect(replyText(device)).toHaveText('First')
  model.reply(['Second', { finish: 'stop' }])
  await lastReply(page).hover()
  await lastReply(page)
    .getByRole('button', { name: /regenerate|again/i })
    .click()
  for (const screen of [page, second, device]) {
    await expect(replyText(screen)).toHaveText('Second')
    await expect(lastReply(screen)).toContainText('2/2')
  }
  await lastReply(device)
    .getByRole('button', { name: /previous/i })
    .click()
  for (const screen of [page, second, device]) {
    await expect(replyText(screen)).toHaveText('First')
    await expect(lastReply(screen)).toContainText('1/2')
  }
})

test('when the tab that holds the stream is closed, the others continue without gaps or repetitions', async ({
  page,
  model,
  context,
}) => {
  const streams = countStreams(context)
  await page.reload()
  await expect.poll(streams).toBe(1)
  await startChat(page, model, [...counting(0, 200), { finish: 'stop' }])
  const [second, third] = [await openTab(context, page.url()), await openTab(context, page.url())]
  for (const tab of [second, third]) await expect(replyText(tab)).toContainText('5 6')
  expect(streams()).toBe(1)
  await page.close()
  await expect(replyText(third)).toHaveText(counted(200), { timeout: 15_000 })
  await expect(replyText(second)).toHaveText(counted(200))
  await expect.poll(streams).toBe(1)
  await second.close()
  await expect.poll(streams).toBe(1)
  model.reply(['After', { finish: 'stop' }])
  await send(third, 'And now?')
  await expect(replyText(third)).toHaveText('After')
})

test('ten tabs share one live connection', async ({ page, model, context }) => {
  const streams = countStreams(context)
  await page.reload()
  await startChat(page, model, ['First', { finish: 'stop' }])
  await expect(replyText(page)).toHaveText('First')
  const tabs = [page]
  while (tabs.length < 10) tabs.push(await openTab(context, page.url()))
  for (const tab of tabs) await expect(replyText(tab)).toHaveText('First')
  expect(streams()).toBe(1)
  const gate = model.gate()
  model.reply(['Begun', gate, ' and ended', { finish: 'stop' }])
  await send(page, 'To all')
  for (const tab of tabs) await expect(replyText(tab)).toHaveText('Begun')
  gate.open()
  for (const tab of tabs) await expect(replyText(tab)).toHaveText('Begun and ended')
  expect(streams()).toBe(1)
})

test('a device that was offline during a reply shows the whole reply when it is online again', async ({
  page,
  account: user,
  model,
  openDevice,
  problems,
}) => {
  problems.allowOutage()
  const gate = model.gate()
  await startChat(page, model, [...counting(0, 20), gate, ...counting(20, 60), { finish: 'stop' }])
  const device = await openDevice(user, page.url())
  await expect(replyText(device)).toHaveText(counted(20))
  await device.context().setOffline(true)
  await expect(device.getByText('The connection was lost. Reconnecting...')).toBeVisible({ timeout: 15_000 })
  await input(device).fill('a draft of the tunnel')
  gate.open()
  await expect(replyText(page)).toHaveText(counted(60))
  await device.context().setOffline(false)
  await expect(replyText(device)).toHaveText(counted(60), { timeout: 20_000 })
  await expect(sendButton(device)).toBeVisible()
  await expect(input(device)).toHaveValue('a draft of the tunnel')
  await expect(device.getByText('The connection was lost')).toHaveCount(0)
})

test('a message written offline is marked, is sent once and without a click when the page is online again, is stored, and appears in every tab and device', async ({
  page,
  account: user,
  model,
  openDevice,
  problems,
}) => {
  problems.allowOutage()
  await startChat(page, model, ['First', { finish: 'stop' }])
  await expect(replyText(page)).toHaveText('First')
  const device = await openDevice(user, page.url())
  await expect(replyText(device)).toHaveText('First')
  await page.context().setOffline(true)
  await send(page, 'written in a tunnel')
  await expect(page.getByText('Not sent. You are offline.')).toBeVisible()
  await expect(page.getByText('It will be sent when the connection is back.')).toBeVisible()
  model.reply(['Heard', { finish: 'stop' }])
  await page.context().setOffline(false)
  for (const screen of [page, device]) {
    await expect(replyText(screen)).toHaveText('Heard')
    await expect(screen.getByRole('article')).toHaveCount(4)
    await expect(screen.getByText(/Not sent/)).toHaveCount(0)
  }
  expect(model.requests).toHaveLength(2)
  await page.reload()
  await expect(page.getByRole('article')).toHaveCount(4)
  await expect(page.getByRole('article', { name: 'You' }).filter({ hasText: 'tunnel' })).toHaveCount(1)
})

test('a new chat appears in the open history of another tab', async ({ page, model, context }) => {
  const second = await openTab(context, page.url())
  await second
    .getByRole('button', { name: /search/i })
    .first()
    .click()
  const dialog = second.getByRole('dialog')
  await expect(dialog.getByText('No chats yet')).toBeVisible()
  await startChat(page, model, ['First', { finish: 'stop' }])
  await expect(dialog.getByText('Count').first()).toBeVisible()
})

/** More than the six connections that a browser opens to a server over HTTP/1.1. */
const tabCount = 8

test('replies stream in more tabs than a browser has connections, and Stop works in each', async ({
  page,
  context,
  model,
}) => {
  const gate = model.gate()
  const tabs = [page]
  while (tabs.length < tabCount) tabs.push(await openTab(context, page.url()))
  for (const tab of tabs) {
    await tab.bringToFront()
    await startChat(tab, model, ['It begins', gate, { finish: 'stop' }])
  }
  for (const tab of tabs) await expect(replyText(tab)).toHaveText('It begins')
  for (const tab of tabs) {
    await tab.bringToFront()
    await stopButton(tab).click()
    await expect(sendButton(tab)).toBeVisible()
    await expect(replyText(tab)).toHaveText('It begins')
  }
  await expect.poll(() => model.openRequests).toBe(0)
  gate.open()
})

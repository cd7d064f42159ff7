import type { Page } from '@playwright/test'
import type { Chat } from '@yonder/contract/chat'
import type { Inbox } from '@yonder/contract/inbox'
import type { ScriptedModel } from '../server/testing/models/scripted-model.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { addConnector, callApi, callTool, lastTurn, send, test } from './support/tools-fixtures.ts'

test.describe.configure({ timeout: 90_000 })

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const row = (page: Page, title: string) =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: title, exact: true, level: 2 }) })
const chatLink = (page: Page, title: string) => page.getByRole('main').getByRole('link', { name: title })

/** Starts a chat with a message, and returns its id when the reply to it waits for a decision. */
async function startChat(page: Page, content: string): Promise<string> {
  const countWaiting = async () => (await callApi<Inbox>(page, 'GET', '/api/inbox')).total
  const before = await countWaiting()
  const { id } = await callApi<{ id: string }>(page, 'GET', '/api/chat/id')
  const request = { chatId: id, botName: 'Scripted', content, parentId: null }
  await callApi(page, 'POST', '/api/chat/completions', request)
  await expect.poll(countWaiting).toBe(before + 1)
  return id
}

/** The same, with a call of the calculator. */
async function startCall(page: Page, model: ScriptedModel, question: string, expression: string) {
  const answer = `The answer to ${expression} is here.`
  model.when(question, [callTool('default__calculate', { expression })], [answer])
  return startChat(page, question)
}

const questions = ['First sum', 'Second sum', 'Third sum', 'Fourth sum', 'Fifth sum']

/** Starts five chats whose calls wait. The last one is listed first. */
async function startFive(page: Page, model: ScriptedModel): Promise<string[]> {
  const ids: string[] = []
  for (const [index, question] of questions.entries())
    ids.push(await startCall(page, model, question, `${index} + 10`))
  return ids
}

test('on a phone a user decides five calls of five chats one after the other, without a reload, at the same place of the window', async ({
  page,
  model,
  account,
  openDevice,
}) => {
  const ids = await startFive(page, model)
  const device = await openDevice(account, '/', phone)
  await expect(device).toHaveTitle(/^\(5\) /)
  await device.getByRole('button', { name: 'Chats, 5 calls wait for you' }).tap()
  await device.getByRole('link', { name: 'Inbox 5 waiting' }).tap()
  await expect(device).toHaveURL(/\/inbox$/)
  await expect(device.getByRole('tab', { name: 'Waiting 5' })).toBeVisible()
  await expectNoSidewaysScroll(device)
  let loads = 0
  device.on('framenavigated', () => (loads += 1))
  const places: number[] = []
  for (const [index, title] of questions.toReversed().entries()) {
    const name = index === 2 ? 'Deny' : 'Allow Once'
    const target = row(device, title).getByRole('button', { name, exact: true })
    await expect(target).toBeEnabled()
    if (index > 0) await expect(chatLink(device, title)).toBeFocused()
    places.push((await row(device, title).boundingBox())!.y)
    // Not where the tap before was, which would make this one the second half of a double tap.
    await target.tap({ position: { x: index % 2 === 0 ? 10 : 60, y: 10 } })
    await expect(row(device, title)).toContainText(index === 2 ? /Denied, \d\d:\d\d/ : /Allowed, \d\d:\d\d/)
  }
  expect(loads).toBe(0)
  // The first title is at the top of the page. Each later one takes the place of the one before, as far as the page scrolls.
  expect(places[2]).toBe(places[1])
  await expect(device.getByText('Nothing else waits for you.')).toBeFocused()
  await expect(device.getByRole('tab', { name: 'Waiting', exact: true })).toBeVisible()
  await expect(button(device, 'Chats')).toBeVisible()

  // Each call was made or denied once, and the model was told.
  for (const [index, id] of ids.entries()) {
    const read = async () => (await callApi<Chat>(page, 'GET', `/api/chats/${id}`)).messages
    await expect
      .poll(async () => (await read()).at(-1)?.content)
      .toMatch(index === 2 ? 'An answer without a script.' : 'is here.')
    const messages = await read()
    const calls = messages.flatMap(({ call }) => call ?? [])
    expect(calls.map(({ state }) => state)).toEqual([index === 2 ? 'denied' : 'answered'])
    expect(messages.filter(({ outcome }) => outcome?.status === 'done')).toHaveLength(index === 2 ? 0 : 1)
  }
})

test('what was decided is listed with the device, and its title opens the chat at the call', async ({
  page,
  model,
}) => {
  const id = await startCall(page, model, 'First sum', '1 + 1')
  await startCall(page, model, 'Second sum', '2 + 2')
  await page.goto('/inbox')
  await row(page, 'Second sum').getByRole('button', { name: 'Deny', exact: true }).click()
  await expect(row(page, 'Second sum')).toContainText('Denied')
  await row(page, 'First sum').getByRole('button', { name: 'Allow Once' }).click()
  await expect(row(page, 'First sum').locator('.lucide-check')).toBeVisible()
  await page.getByRole('tab', { name: 'Decided' }).click()
  const today = page.getByRole('region', { name: 'Today' })
  await expect(today.getByRole('listitem')).toHaveCount(2)
  await expect(today.getByRole('listitem').first()).toContainText('calculate')
  await expect(today.getByRole('listitem').first()).toContainText(/in Chrome on Linux.*Allowed once/)
  await expect(today.getByRole('listitem').last()).toContainText(/in Chrome on Linux.*Denied/)
  await today.getByRole('link', { name: 'First sum' }).click()
  await expect(page).toHaveURL(new RegExp(`/chat/${id}`))
  await expect(lastTurn(page)).toContainText('The answer to 1 + 1 is here.')
})

test('a second browser is told what the first has decided, and nothing in it moves', async ({
  page,
  model,
  account,
  openDevice,
}) => {
  await startCall(page, model, 'First sum', '1 + 1')
  await startCall(page, model, 'Second sum', '2 + 2')
  await page.goto('/inbox')
  const device = await openDevice(account, '/inbox')
  await expect(row(device, 'Second sum').getByRole('button', { name: 'Allow Once' })).toBeEnabled()
  await row(page, 'Second sum').getByRole('button', { name: 'Allow Once' }).click()
  await expect(row(device, 'Second sum')).toContainText(/Already allowed at \d\d:\d\d in Chrome on Linux/)
  await startCall(page, model, 'Third sum', '3 + 3')
  const titles = device.getByRole('main').getByRole('heading', { level: 2 })
  await expect(titles).toHaveText(['Second sum', 'First sum', 'Third sum'])
  await expect(device.getByRole('tab', { name: 'Waiting 2' })).toBeVisible()
})

test('a user decides with the keyboard alone, and the page has no problem of accessibility in any state', async ({
  page,
  model,
  axe,
}) => {
  await page.goto('/inbox')
  await expect(page.getByText('Nothing waits for you.')).toBeVisible()
  await axe(page)
  await startCall(page, model, 'First sum', '1 + 1')
  await startCall(page, model, 'Second sum', '2 + 2')
  await expect(row(page, 'Second sum').getByRole('button', { name: 'Allow Once' })).toBeEnabled()
  await chatLink(page, 'First sum').focus()
  await expect(async () => {
    await page.keyboard.press('Tab')
    await expect(row(page, 'First sum').getByRole('button', { name: 'Allow Once' })).toBeFocused({
      timeout: 100,
    })
  }).toPass()
  await page.keyboard.press('Enter')
  await expect(row(page, 'First sum')).toContainText(/Allowed, \d\d:\d\d/)
  await expect(chatLink(page, 'Second sum')).toBeFocused()
  for (const look of looks) {
    await setLook(page, look)
    await axe(page)
    await expectNoSidewaysScroll(page)
  }
  await page.getByRole('tab', { name: /^Waiting/ }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Today' })).toContainText('First sum')
  for (const look of looks) {
    await setLook(page, look)
    await axe(page)
    await expectNoSidewaysScroll(page)
  }
})

test('a user answers the question of a running call, and allows the later calls of a step in the same card', async ({
  page,
  model,
  everything,
}) => {
  await addConnector(page, { name: 'everything', url: everything.url })
  model.when('Ask me', [callTool('everything__trigger-elicitation-request')], ['Thank you.'])
  await send(page, 'Ask me')
  await expect(page.getByRole('form', { name: 'Question from everything' })).toBeVisible()
  model.when(
    'Two sums',
    [
      callTool('default__calculate', { expression: '1 + 1' }),
      callTool('default__calculate', { expression: '2 + 2' }),
    ],
    ['Both are done.'],
  )
  const id = await startChat(page, 'Two sums')
  const asked = page.url()
  await page.goto('/inbox')
  await expect(page.getByRole('tab', { name: 'Waiting 2' })).toBeVisible()
  const two = row(page, 'Two sums')
  await expect(two).toContainText('2 + 2')
  await two.getByRole('button', { name: 'Allow Once' }).last().click()
  await expect(two.getByRole('button', { name: 'Allow Once' })).toHaveCount(1)
  await two.getByRole('button', { name: 'Allow Once' }).click()
  await expect(two).toContainText(/Allowed, \d\d:\d\d/)
  await page.getByLabel('String *').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect(row(page, 'Ask me')).toContainText('No longer asks')
  await page.goto(asked)
  await expect(lastTurn(page)).toContainText('Thank you.')
  await page.goto(`/chat/${id}`)
  await expect(lastTurn(page)).toContainText('Both are done.')
})

import type { Page } from '@playwright/test'
import type { Connector } from '@yonder/contract/connector'
import type { ScriptedModel, Step } from '../server/testing/models/scripted-model.ts'
import { input, openTab, sendButton, stopButton } from './support/chat-page.ts'
import { expect } from './support/fixtures.ts'
import { addConnector, block, callApi, callTool, lastTurn, send, test } from './support/tools-fixtures.ts'

const sum = (expression: string) => callTool('default__calculate', { expression })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const allowOnce = (page: Page) => button(page, 'Allow Once')

/** Sends a message to which the model responds with a call of the calculator. */
async function requestSum(page: Page, model: ScriptedModel, expression = '2 + 3'): Promise<void> {
  model.reply(['I will count.', sum(expression)])
  await send(page, `How much is ${expression}?`)
}

const allowedTools = async (page: Page) => {
  const connectors = await callApi<Connector[]>(page, 'GET', '/api/mcp-servers')
  return connectors.find(({ name }) => name === 'default')?.allow_tools
}

test('a new user is asked for approval at once, and a tool that is allowed once runs once (§2.33, §2.34, §4.19, §4.20)', async ({
  page,
  user: _,
}) => {
  await send(page, 'use the calculator to add 2 and 3')
  await expect(block(page, 'Calculator')).toContainText('"expression": "2 + 3"')
  await expect(block(page, 'Calculator')).toContainText('Allow default (built in) to run this tool')
  for (const name of ['Allow Once', 'Allow Always', 'Deny']) await expect(button(page, name)).toBeEnabled()
  await allowOnce(page).click()
  await expect(block(page, 'Calculator')).toContainText(/\d+ ms/)
  await expect(block(page, 'Calculator').locator('.lucide-check')).toBeVisible()
  await expect(lastTurn(page)).toContainText('5')
  await expect(sendButton(page)).toBeVisible()
  // The whole turn is one message with one row of actions.
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(page.getByRole('button', { name: 'Regenerate' })).toHaveCount(1)
  expect(await allowedTools(page)).toEqual([])

  await send(page, 'use the calculator to add 4 and 4')
  await expect(allowOnce(page)).toBeVisible()
})

test('a tool that is always allowed runs without approval, but other tools still need it (§4.19, §4.21)', async ({
  page,
  model,
}) => {
  await requestSum(page, model)
  model.reply(['It is five.'])
  await button(page, 'Allow Always').click()
  await expect(page.getByText('Allow tools updated successfully for "default"')).toBeVisible()
  await expect(lastTurn(page)).toContainText('It is five.')
  expect(await allowedTools(page)).toEqual(['calculate'])

  model.reply([sum('6 * 7')])
  model.reply(['It is 42.'])
  await send(page, 'And 6 * 7?')
  await expect(lastTurn(page)).toContainText('It is 42.')
  await expect(allowOnce(page)).toHaveCount(0)

  model.reply([callTool('default__get_time')])
  await send(page, 'And the time?')
  await expect(allowOnce(page)).toBeVisible()
})

test("a denied tool does not run: 'cancel' is sent, and the model replies to it (§4.22)", async ({
  page,
  model,
}) => {
  await requestSum(page, model)
  model.reply(['As you wish.'])
  await button(page, 'Deny').click()
  await expect(lastTurn(page)).toContainText('As you wish.')
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(block(page, 'Calculator')).toContainText(/Denied by you, \d\d:\d\d/)
  await expect(allowOnce(page)).toHaveCount(0)
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('denied by the user')
  await page.reload()
  await expect(block(page, 'Calculator')).toContainText(/Denied by you, \d\d:\d\d/)
  await expect(page.getByRole('article')).toHaveCount(2)
})

test("a denial that was not sent can be discarded, and its 'cancel' never gets into the input", async ({
  page,
  model,
  problems,
}) => {
  await requestSum(page, model)
  await expect(button(page, 'Deny')).toBeEnabled()
  problems.expect(/ERR_FAILED|Error sending message/)
  await page.route(/completions|healthz/, (route) => route.abort())
  await button(page, 'Deny').click()
  await expect(page.getByText(/^Not sent/)).toBeVisible()
  await expect(button(page, 'Send again')).toBeVisible()
  // The only 'Edit' is that of the call.
  await expect(button(page, 'Edit')).toHaveCount(1)
  await button(page, 'Discard').click()
  await expect(page.getByText(/^Not sent/)).toHaveCount(0)
  await expect(input(page)).toHaveValue('')
  await expect(input(page)).toBeFocused()
  await page.unroute(/completions|healthz/)
  // The call still waits, and nothing was sent.
  await expect(allowOnce(page)).toBeEnabled()
  expect(model.requests).toHaveLength(1)
})

test('a message denies a pending call, and the input announces this', async ({ page, model }) => {
  await requestSum(page, model)
  await expect(page.getByText('A tool call needs your approval. Sending a message denies it.')).toBeVisible()
  model.reply(['Then not.'])
  await send(page, 'Never mind')
  await expect(lastTurn(page)).toContainText('Then not.')
  await expect(block(page, 'Calculator')).toContainText('Denied')
  await expect(page.getByText('A tool call needs your approval.')).toHaveCount(0)
})

test('a call is still pending after a reload, and can be approved with the keyboard alone', async ({
  page,
  model,
}) => {
  await requestSum(page, model)
  await expect(allowOnce(page)).toBeVisible()
  await page.reload()
  await expect(block(page, 'Calculator')).toContainText('"expression": "2 + 3"')
  model.reply(['It is five.'])
  await expect(input(page)).toBeFocused()
  for (let tabs = 0; tabs < 20; tabs += 1) {
    if (await allowOnce(page).evaluate((element) => element === document.activeElement)) break
    await page.keyboard.press('Shift+Tab')
  }
  await expect(allowOnce(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(lastTurn(page)).toContainText('It is five.')
  await expect(input(page)).toBeFocused()
})

test('a long argument says how much of it is shown, and all of it can be seen with the keyboard', async ({
  page,
  model,
}) => {
  const lines = Array.from({ length: 60 }, (_, index) => `key ${index}`)
  const args = Object.fromEntries([...lines, 'the end'].map((line) => [line, 'value']))
  model.reply(['I will count.', callTool('default__calculate', { expression: '1', ...args })])
  await send(page, 'Count.')
  const text = page.getByLabel('Arguments', { exact: true })
  const unseen = page.getByText('Not everything above is shown.')
  await expect(block(page, 'Calculator')).toContainText(/10 of 6\d lines are shown\./)
  await expect(unseen).toBeVisible()
  await expect(allowOnce(page)).toHaveAccessibleDescription(/^Not everything above is shown/)
  await expect(allowOnce(page)).toBeEnabled()

  // Scrolled to its end.
  await text.focus()
  await page.keyboard.press('End')
  await expect(text.getByText('"the end"')).toBeInViewport()
  await expect(unseen).toHaveCount(0)

  // All of it at once.
  await page.reload()
  await expect(unseen).toBeVisible()
  await page.getByRole('button', { name: /^Show all 6\d lines: Arguments/ }).focus()
  await page.keyboard.press('Enter')
  await expect(unseen).toHaveCount(0)
  const isWhole = await text.evaluate(({ scrollHeight, clientHeight }) => scrollHeight === clientHeight)
  expect(isWhole).toBe(true)
  await page.getByRole('button', { name: 'Show less: Arguments' }).press('Enter')
  await expect(unseen).toBeVisible()

  // With the details closed, nothing of the arguments is shown.
  await block(page, 'Calculator').getByRole('button', { expanded: true }).first().click()
  await expect(text).toHaveCount(0)
  await expect(unseen).toBeVisible()
})

test('a pending call appears in every tab and device, and disappears everywhere when one of them decides', async ({
  page,
  account: user,
  model,
  context,
  openDevice,
}) => {
  await requestSum(page, model)
  await expect(allowOnce(page)).toBeVisible()
  const second = await openTab(context, page.url())
  const device = await openDevice(user, page.url())
  for (const screen of [second, device]) await expect(allowOnce(screen)).toBeVisible()

  const gate = model.gate()
  model.reply(['It is ', gate, 'five.'])
  await allowOnce(device).click()
  for (const screen of [page, second, device]) {
    await expect(lastTurn(screen)).toContainText('It is')
    await expect(block(screen, 'Calculator')).toContainText(/\d+ ms/)
    await expect(allowOnce(screen)).toHaveCount(0)
    await expect(stopButton(screen)).toBeVisible()
  }
  gate.open()
  for (const screen of [page, second, device]) {
    await expect(lastTurn(screen)).toContainText('It is five.')
    await expect(sendButton(screen)).toBeVisible()
  }
  // The model was called once more, so the tool ran once.
  expect(model.requests).toHaveLength(2)

  // The next pending call appears everywhere too, without a reload.
  model.reply([sum('1 + 1')])
  await send(second, 'And 1 + 1?')
  for (const screen of [page, second, device]) await expect(allowOnce(screen)).toBeVisible()
  model.reply(['As you wish.'])
  await button(page, 'Deny').click()
  for (const screen of [page, second, device]) {
    await expect(lastTurn(screen)).toContainText('As you wish.')
    await expect(allowOnce(screen)).toHaveCount(0)
  }
})

test('a call that was approved elsewhere does not run twice', async ({ page, model, problems }) => {
  problems.expect(/409|The call could not be approved/)
  await requestSum(page, model)
  await expect(allowOnce(page)).toBeVisible()
  // This page receives no live updates.
  await page.route('**/api/live', (route) => route.abort())
  await page.reload()
  problems.expect(/ERR_FAILED/)
  await expect(allowOnce(page)).toBeVisible()
  model.reply(['It is five.'])
  const chatId = page.url().split('/').at(-1)
  await callApi(page, 'POST', '/api/tool/confirm', {
    botName: 'Scripted',
    server: 'default',
    tool: 'calculate',
    args: { expression: '2 + 3' },
    chatId,
  }).catch(() => undefined)
  await allowOnce(page).click()
  await expect(lastTurn(page)).toContainText('It is five.')
  await expect(allowOnce(page)).toHaveCount(0)
  expect(model.requests).toHaveLength(2)
})

test('several calls of one turn need approval one after the other, and the model is called again when all are answered (§4.23)', async ({
  page,
  model,
}) => {
  model.reply(['Two sums.', sum('1 + 1'), sum('2 + 2')])
  await send(page, 'Both, please')
  await expect(block(page, 'Calculator')).toContainText('1 + 1')
  await expect(page.getByRole('region', { name: 'Tool call: Calculator' })).toHaveCount(1)
  await allowOnce(page).click()
  await expect(block(page, 'Calculator')).toContainText('2 + 2')
  await expect(page.getByRole('region', { name: 'Tool call: Calculator' })).toHaveCount(2)
  expect(model.requests).toHaveLength(1)
  model.reply(['Two and four.'])
  await allowOnce(page).click()
  await expect(lastTurn(page)).toContainText('Two and four.')
  await expect(page.getByRole('article')).toHaveCount(2)
  expect(model.requests).toHaveLength(2)
})

test('a number with more digits than a double has is shown and sent as the model wrote it, and a repeated key is not asked about', async ({
  page,
  model,
  hostile,
}) => {
  const url = hostile.url('polite')
  await addConnector(page, { name: 'polite', url, allow_tools: [] })
  const sent = async () => (await hostile.seen('polite')).filter(({ rpc }) => rpc === 'tools/call')
  const before = (await sent()).length
  const act = (text: string): Step => ({ toolCall: { name: 'polite__act', arguments: text } })
  model.reply([act('{"id":1,"id":2}')])
  model.reply([act('{"id":1234567890123456789,"far":[1e400,-0]}')])
  await send(page, 'Act')
  await expect(block(page, 'act')).toContainText('"id": 1234567890123456789')
  await expect(block(page, 'act')).toContainText('1e400')
  model.reply(['Done.'])
  await allowOnce(page).click()
  await expect(lastTurn(page)).toContainText('Done.')
  const calls = (await sent()).slice(before)
  expect(calls.map(({ body }) => body.includes('{"id":1234567890123456789,"far":[1e400,-0]}'))).toEqual([
    true,
  ])
  expect(JSON.stringify(model.requests[1]?.body)).toContain('more than once')
})

test('regenerating after a tool call reuses its result, and the tool does not run again (§4.24, §4.25, §2.35)', async ({
  page,
  model,
}) => {
  await requestSum(page, model)
  model.reply(['It is five.'])
  await allowOnce(page).click()
  await expect(lastTurn(page)).toContainText('It is five.')
  model.reply(['Five, I think.'])
  await lastTurn(page).hover()
  await page.getByRole('button', { name: 'Regenerate' }).click()
  await expect(lastTurn(page)).toContainText('Five, I think.')
  await expect(lastTurn(page)).toContainText('2/2')
  await expect(block(page, 'Calculator')).toContainText(/\d+ ms/)
  await page.getByRole('button', { name: 'Previous version' }).click()
  await expect(lastTurn(page)).toContainText('It is five.')
  await expect(block(page, 'Calculator')).toContainText(/\d+ ms/)
  await page.reload()
  await expect(lastTurn(page)).toContainText('It is five.')
})

test('a tool whose name begins with a space is allowed always, and shown with its space (§5.16)', async ({
  page,
  model,
  hostile,
}) => {
  await addConnector(page, { name: 'spaced', url: hostile.url('spaced'), allow_tools: [] })
  const { name } = await callApi<{ name: string }>(page, 'GET', '/api/mcp-server/spaced/tools/%20act')
  model.reply([callTool(name)])
  await send(page, 'Act')
  model.reply(['Done once.'])
  await expect(page.getByRole('region', { name: /Tool call/ }).last()).toContainText('U+0020act')
  await page.getByRole('button', { name: 'Allow Always' }).click()
  await expect(lastTurn(page)).toContainText('Done once.')
  model.reply([callTool(name)])
  model.reply(['Done again.'])
  await send(page, 'Again')
  await expect(lastTurn(page)).toContainText('Done again.')
  const connectors = await callApi<{ name: string; allow_tools: string[] }[]>(page, 'GET', '/api/mcp-servers')
  expect(connectors.find((connector) => connector.name === 'spaced')?.allow_tools).toEqual([' act'])
})

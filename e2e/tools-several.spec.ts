import type { Page } from '@playwright/test'
import { startHostileServer } from '../server/testing/hostile-mcp/start-hostile-server.ts'
import { openTab, sendButton } from './support/chat-page.ts'
import { expect } from './support/fixtures.ts'
import {
  addConnector,
  block,
  callApi,
  callTool,
  lastTurn,
  line,
  send,
  test,
} from './support/tools-fixtures.ts'

test.describe.configure({ timeout: 90_000 })

const sum = (expression: string) => callTool('default__calculate', { expression })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const blocks = (page: Page) => page.getByRole('region', { name: 'Tool call: Calculator' })

test('a user denies one of three calls, is asked about the others, and the model reads which were denied (§4.22)', async ({
  page,
  model,
}) => {
  model.reply(['Three sums.', sum('1 + 1'), sum('2 + 2'), sum('3 + 3')])
  await send(page, 'Three sums, please')
  await expect(block(page, 'Calculator')).toContainText('1 of 3')
  await expect(
    page.getByText('A tool call needs your approval. Sending a message denies it and the 2 calls after it.'),
  ).toBeVisible()
  await button(page, 'Deny').click()
  await expect(block(page, 'Calculator')).toContainText('2 of 3')
  await expect(block(page, 'Calculator')).toContainText('"expression": "2 + 2"')
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(blocks(page).first()).toContainText('Denied')
  // The model is called when all calls are decided.
  expect(model.requests).toHaveLength(1)
  await page.reload()
  await expect(block(page, 'Calculator')).toContainText('2 of 3')
  await button(page, 'Allow Once').click()
  await expect(block(page, 'Calculator')).toContainText('3 of 3')
  model.reply(['One of three.'])
  await button(page, 'Deny').click()
  await expect(lastTurn(page)).toContainText('One of three.')
  const results = (model.requests.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => String(content))
  expect(results).toHaveLength(3)
  expect(results[0]).toContain('denied by the user')
  expect(results[1]).toContain('4')
  expect(results[2]).toContain('denied by the user')
})

test('a message denies all calls that are left', async ({ page, model }) => {
  model.reply([sum('1 + 1'), sum('2 + 2')])
  await send(page, 'Two sums, please')
  await expect(block(page, 'Calculator')).toContainText('1 of 2')
  model.reply(['Then not.'])
  await send(page, 'Never mind')
  await expect(lastTurn(page)).toContainText('Then not.')
  await expect(button(page, 'Allow Once')).toHaveCount(0)
})

test('a call that waits says that its tool has changed or its connector is gone, before it is clicked', async ({
  page,
  model,
  context,
}) => {
  const hostile = await startHostileServer()
  try {
    await addConnector(page, { name: 'rug', url: hostile.url('rug-pull'), allow_tools: [] })
    model.reply([callTool('rug__send')])
    await send(page, 'Send a note')
    const card = block(page, 'send')
    await expect(button(page, 'Allow Once')).toBeEnabled()
    await expect(card).not.toContainText('The call will not run')
    const other = await openTab(context, '/settings/connectors')
    await hostile.nextPhase('rug-pull')
    await callApi(other, 'POST', '/api/mcp-server/rug/connect', {})
    await expect(card).toContainText(
      'This tool has changed since the model made this call. The call will not run.',
    )
    await callApi(other, 'POST', '/api/mcp-server/rug/disconnect', {})
    await expect(card).toContainText('"rug" is disconnected. The call will not run.')
    await callApi(other, 'DELETE', '/api/mcp-server/rug')
    await expect(card).toContainText('"rug" is no longer one of your connectors. The call will not run.')
    await addConnector(other, { name: 'rug', url: hostile.url('rug-pull'), allow_tools: [] })
    await expect(card).toContainText('"rug" was added again')
    model.reply(['It did not run.'])
    await button(page, 'Allow Once').click()
    await expect(lastTurn(page)).toContainText('It did not run.')
    await expect(line(page, 'send')).toContainText('Failed')
    expect((await hostile.seen('rug-pull')).filter(({ rpc }) => rpc === 'tools/call')).toEqual([])
  } finally {
    await hostile.close()
  }
})

test('broken JSON and wrong arguments go back to the model, and the user is asked about the corrected call only', async ({
  page,
  model,
}) => {
  model.reply([{ toolCall: { name: 'default__calculate', arguments: '{"expression": "2 + 3' } }])
  model.reply([callTool('default__calculate', { formula: '2 + 3' })])
  model.reply([sum('2 + 3')])
  await send(page, 'How much is it?')
  await expect(button(page, 'Allow Once')).toBeEnabled()
  await expect(block(page, 'Calculator')).toContainText('"expression": "2 + 3"')
  await expect(blocks(page)).toHaveCount(3)
  for (const failed of [blocks(page).nth(0), blocks(page).nth(1)])
    await expect(failed).toContainText('Failed')
  await blocks(page).nth(0).getByRole('button').first().click()
  await expect(blocks(page).nth(0)).toContainText('the arguments of the model are not a JSON object')
  await blocks(page).nth(1).getByRole('button').first().click()
  await expect(blocks(page).nth(1)).toContainText('A required parameter is missing: "expression"')
  await expect(blocks(page).nth(1)).not.toContainText('call the tool again')
  await blocks(page).nth(1).getByRole('button', { name: 'What the model reads' }).click()
  await expect(blocks(page).nth(1)).toContainText('Correct the arguments and call the tool again.')
  model.reply(['It is five.'])
  await button(page, 'Allow Once').click()
  await expect(lastTurn(page)).toContainText('It is five.')
})

test('twenty calls of a turn are one line that opens, and a call that failed or waits stays visible', async ({
  page,
  model,
}) => {
  // The list of the built-in tools is read, so that they are allowed as they are.
  await callApi(page, 'GET', '/api/mcp-servers')
  await callApi(page, 'PUT', '/api/mcp-server/default', {
    name: 'default',
    url: 'builtin://default',
    allow_tools: ['calculate'],
  })
  const sums = Array.from({ length: 19 }, (_, index) => sum(`${index} + 1`))
  model.reply([
    'Many sums.',
    ...sums,
    callTool('default__calculate', { formula: '1' }),
    callTool('default__get_time'),
  ])
  await send(page, 'Twenty sums and the time')
  await expect(button(page, 'Allow Once')).toBeEnabled()
  const row = page.getByRole('button', { name: /^20 tool calls/ })
  await expect(row).toHaveAttribute('aria-expanded', 'false')
  await expect(row).toContainText('1 did not succeed')
  await expect(blocks(page)).toHaveCount(1)
  await expect(blocks(page)).toContainText('Failed')
  await expect(lastTurn(page)).toContainText('Many sums.')
  await row.focus()
  await page.keyboard.press('Enter')
  await expect(blocks(page)).toHaveCount(20)
  await row.click()
  await expect(blocks(page)).toHaveCount(1)
  model.reply(['All done.'])
  await button(page, 'Allow Once').click()
  await expect(lastTurn(page)).toContainText('All done.')
  await expect(page.getByRole('button', { name: /^21 tool calls/ })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: /^21 tool calls/ })).toBeVisible()
  await expect(blocks(page)).toHaveCount(1)
  await expect(sendButton(page)).toBeVisible()
})

import type { Page } from '@playwright/test'
import { freePort } from '../server/testing/free-port.ts'
import { openTab } from './support/chat-page.ts'
import { expect } from './support/fixtures.ts'
import { addConnector, callApi, lastTurn, send, test } from './support/tools-fixtures.ts'

const panel = (page: Page) => page.getByRole('complementary', { name: 'Connection logs' })
const preference = (page: Page) => page.getByRole('switch', { name: 'Connection logs' })

test('connection logs are off by default, are switched on in General, and then appear beside the chat (§1.10, §2.28, §3.22, §4.8, §4.11, §9.14)', async ({
  page,
  model,
  context,
  problems,
}) => {
  problems.expect(/502/)
  await page.goto('/settings/general')
  await expect(preference(page)).not.toBeChecked()
  const second = await openTab(context, '/settings/general')
  await preference(page).click()
  for (const screen of [page, second]) await expect(preference(screen)).toBeChecked()
  expect(await page.evaluate(() => localStorage.getItem('showMcpLogs'))).toBe('true')
  await second.close()

  // An unreachable connector, beside the default one.
  const url = `http://127.0.0.1:${await freePort()}/mcp`
  await callApi(page, 'POST', '/api/mcp-server', { name: 'silent', url, allow_tools: null })
  await callApi(page, 'POST', '/api/mcp-server/silent/connect', {}).catch(() => undefined)
  await page.goto('/')
  model.reply(['Good day.'])
  await send(page, 'Hello')
  await expect(lastTurn(page)).toContainText('Good day.')
  await expect(panel(page)).toBeVisible()
  const servers = panel(page).locator('ul').getByRole('listitem')
  await expect(servers.filter({ hasText: 'default' })).toContainText('connected')
  await expect(servers.filter({ hasText: 'silent' })).toContainText('error')
  const log = panel(page).getByRole('log')
  await expect(log).toContainText('Connecting to default')
  await expect(log).toContainText('Connecting to silent')
  await expect(log).toContainText('1 of 2 connectors are ready')

  await panel(page).getByRole('button', { name: 'Clear logs' }).click()
  await expect(log.getByRole('listitem')).toHaveCount(0)
  await expect(servers).toHaveCount(2)
  await panel(page).getByRole('button', { name: 'Close logs' }).click()
  await expect(panel(page)).toHaveCount(0)
  await page.reload()
  await expect(lastTurn(page)).toContainText('Good day.')
  await expect(panel(page)).toHaveCount(0)
})

test('no logs are shown while the preference is off (§2.28, §9.14)', async ({ page, model }) => {
  model.reply(['Good day.'])
  await send(page, 'Hello')
  await expect(lastTurn(page)).toContainText('Good day.')
  await expect(panel(page)).toHaveCount(0)
})

test('every chat with connectors shows a round, also when no connector has to be asked, and opening it does not move the text (§2.28, §4.8)', async ({
  page,
  model,
}) => {
  const exchange = async (text: string) => {
    model.reply([`This is the reply to ${text}.`])
    await send(page, text)
    await expect(lastTurn(page)).toContainText(`This is the reply to ${text}.`)
  }
  await page.evaluate(() => localStorage.setItem('showMcpLogs', 'true'))
  await page.goto('/')
  await exchange('one')
  await page.goto('/')
  await exchange('two')
  const servers = panel(page).locator('ul').getByRole('listitem')
  await expect(servers.filter({ hasText: 'default' })).toContainText('connected')
  await expect(panel(page).getByRole('log')).toContainText('1 of 1 connectors are ready, with 2 tools.')

  for (const width of [1024, 1280, 1600]) {
    await page.setViewportSize({ width, height: 800 })
    await page.getByRole('button', { name: 'Close logs' }).click()
    await expect(panel(page)).toHaveCount(0)
    const closed = await lastTurn(page).boundingBox()
    await exchange(`a window of ${width} pixels`)
    await expect(panel(page)).toBeVisible()
    const open = await lastTurn(page).boundingBox()
    expect({ x: open?.x, width: open?.width }).toEqual({ x: closed?.x, width: closed?.width })
  }
})

test('a server that has never responded is not connected, and comes first (§4.11)', async ({
  page,
  model,
  hostile,
}) => {
  await page.evaluate(() => localStorage.setItem('showMcpLogs', 'true'))
  const url = hostile.url('silent-at-times')
  await addConnector(page, { name: 'zero', url })
  await hostile.nextPhase('silent-at-times')
  // With another token the connector has to be asked again before the next reply.
  await callApi(page, 'PUT', '/api/mcp-server/zero', { name: 'zero', url, token: 'other', allow_tools: null })
  await page.goto('/')
  model.reply(['Good day.'])
  await send(page, 'Hello')
  await expect(lastTurn(page)).toContainText('Good day.')
  const servers = panel(page).locator('ul').getByRole('listitem')
  await expect(servers).toHaveText([/^zero(disconnected|error)/, /^defaultconnected/])
  await hostile.nextPhase('silent-at-times')
})

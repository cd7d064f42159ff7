import type { Page } from '@playwright/test'
import type { Connector } from '@yonder/contract/connector'
import type { GrantList } from '@yonder/contract/grant'
import { input } from './support/chat-page.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { dismissToasts, expectNoSidewaysScroll } from './support/page-checks.ts'
import { block, callApi, callTool, lastTurn, send, test } from './support/tools-fixtures.ts'

test.describe.configure({ timeout: 90_000 })

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const row = (page: Page, tool: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: tool, level: 4 }) })

/** Returns the fingerprint of a tool of the built-in connector. */
async function fingerprintOf(page: Page, tool: string): Promise<string> {
  const connectors = await callApi<Connector[]>(page, 'GET', '/api/mcp-servers')
  const found = connectors.find(({ name }) => name === 'default')?.tools.find(({ name }) => name === tool)
  return found!.fingerprint
}

async function allowAlways(page: Page, tool: string): Promise<void> {
  const fingerprint = await fingerprintOf(page, tool)
  const tools = [{ name: tool, permission: 'allow', fingerprint }]
  await callApi(page, 'PATCH', '/api/mcp-server/default', { tools })
}

async function grant(page: Page, tool: string, limits: object): Promise<void> {
  const fingerprint = await fingerprintOf(page, tool)
  await callApi(page, 'POST', '/api/grants', { server: 'default', tool, fingerprint, ...limits })
}

test('a user sees what bots may do, with its use, revokes it, and takes that back', async ({
  page,
  model,
}) => {
  await allowAlways(page, 'calculate')
  model.reply([callTool('default__calculate', { expression: '1 + 1' })])
  model.reply(['It is two.'])
  await send(page, 'How much is 1 + 1?')
  await expect(lastTurn(page)).toContainText('It is two.')
  await page.goto('/settings/permissions')
  await expect(page.getByRole('region', { name: 'default · built in' })).toBeVisible()
  await expect(row(page, 'Calculator')).toContainText(/Always · all bots.*used \d\d:\d\d, once/)
  await row(page, 'Calculator').getByRole('button', { name: 'Revoke' }).click()
  await expect(row(page, 'Calculator')).toHaveCount(0)
  await expect(page.getByText('Your bots ask before every call.')).toBeVisible()
  expect((await callApi<GrantList>(page, 'GET', '/api/grants')).grants).toEqual([])
  await button(page, 'Undo').click()
  await expect(row(page, 'Calculator')).toContainText('Always · all bots')
})

test('a permission that is revoked in another tab asks again in the chat that is open', async ({
  page,
  model,
  context,
}) => {
  await grant(page, 'calculate', { minutes: 60, bot: 'Scripted' })
  const other = await context.newPage()
  await other.goto('/settings/permissions')
  await expect(row(other, 'Calculator')).toContainText(/Until .*\d\d:\d\d · Scripted/)
  model.reply([callTool('default__calculate', { expression: '1 + 1' })])
  model.reply(['It is two.'])
  await send(page, 'How much is 1 + 1?')
  await expect(lastTurn(page)).toContainText('It is two.')
  await row(other, 'Calculator').getByRole('button', { name: 'Revoke' }).click()
  await expect(row(other, 'Calculator')).toHaveCount(0)
  model.reply([callTool('default__calculate', { expression: '2 + 2' })])
  await input(page).fill('And 2 + 2?')
  await input(page).press('Enter')
  await expect(block(page, 'Calculator')).toContainText('Needs approval')
})

test('a user revokes all permissions after a question, unblocks a tool, and every state is accessible', async ({
  page,
  model: _,
  axe,
}) => {
  const check = async () => {
    for (const look of looks) {
      await setLook(page, look)
      await axe(page)
      await expectNoSidewaysScroll(page)
    }
  }
  await page.goto('/settings/permissions')
  await expect(page.getByText('Your bots ask before every call.')).toBeVisible()
  await check()
  await allowAlways(page, 'calculate')
  await grant(page, 'calculate', { bot: 'Scripted', minutes: 60 })
  await callApi(page, 'PATCH', '/api/mcp-server/default', {
    tools: [{ name: 'get_time', permission: 'block' }],
  })
  await expect(page.getByRole('heading', { level: 4 })).toHaveCount(3)
  await check()
  await button(page, 'Revoke all…').click()
  const dialog = page.getByRole('alertdialog', { name: 'Revoke all 2 permissions?' })
  await expect(dialog).toContainText('Your bots ask again from the next call on.')
  await axe(page)
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByText('2 permissions revoked')).toBeVisible()
  await expect(page.getByRole('heading', { level: 4 })).toHaveCount(1)
  await dismissToasts(page)
  await button(page, 'Unblock').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 4 })).toHaveCount(0)
  expect((await callApi<GrantList>(page, 'GET', '/api/grants')).grants).toEqual([])
})

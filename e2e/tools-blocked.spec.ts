import type { Locator, Page, Route } from '@playwright/test'
import { openTab } from './support/chat-page.ts'
import { expect, looks } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { addConnector, block, callApi, callTool, lastTurn, send, test } from './support/tools-fixtures.ts'

test.describe.configure({ timeout: 120_000 })

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name: `Configure Tools - ${name}` })

async function configure(page: Page, name: string): Promise<Locator> {
  await page.goto(`/settings/connectors?configure=${encodeURIComponent(name)}`)
  const dialog = dialogOf(page, name)
  await expect(dialog.getByText(/^Available Tools/)).toBeVisible()
  return dialog
}

const state = (dialog: Locator, tool: string, name: 'Asks' | 'Allowed' | 'Blocked') =>
  dialog
    .getByRole('group', { name: `Approval of ${tool}`, exact: true })
    .getByRole('button', { name, exact: true })

test('a user blocks an allowed tool with the keyboard: another tab shows it, and no request has it until it is unblocked', async ({
  page,
  model,
  context,
}) => {
  const offered = () => JSON.stringify(model.requests.at(-1)?.body['tools'])
  const dialog = await configure(page, 'default')
  await state(dialog, 'calculate', 'Asks').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('list', { name: 'Allowed tools' })).toHaveText('calculate')
  const second = await openTab(context, '/settings/connectors?configure=default')
  const other = dialogOf(second, 'default')
  await expect(state(other, 'calculate', 'Allowed')).toHaveAttribute('aria-pressed', 'true')

  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('All tools need confirmation')).toBeVisible()
  for (const each of [dialog, other]) {
    await expect(state(each, 'calculate', 'Blocked')).toHaveAttribute('aria-pressed', 'true')
    await expect(each.getByText('1 blocked')).toBeVisible()
  }
  await expect(state(dialog, 'calculate', 'Blocked')).toBeFocused()
  await page.goto('/')
  model.reply(['I cannot calculate.'])
  await send(page, 'Hello')
  await expect(lastTurn(page)).toContainText('I cannot calculate.')
  expect(offered()).toContain('default__get_time')
  expect(offered()).not.toContain('default__calculate')

  await state(other, 'calculate', 'Asks').click()
  await expect(other.getByText('1 blocked')).toBeHidden()
  model.reply(['Now I can.'])
  await send(page, 'And now?')
  await expect(lastTurn(page)).toContainText('Now I can.')
  expect(offered()).toContain('default__calculate')
})

/** Does what changes a permission on a page, and delays its request until `meanwhile` has ended. */
async function changeSlowly(page: Page, act: () => Promise<void>, meanwhile: () => Promise<void>) {
  const held = new Promise<Route>((resolve) => {
    void page.route('**/api/mcp-server/default', resolve, { times: 1 })
  })
  await act()
  const request = await held
  await meanwhile()
  await request.continue()
}

test('a user allows and takes back tools in two tabs at once: each tab keeps what the other has changed', async ({
  page,
  model,
  context,
}) => {
  model.reply([callTool('default__calculate', { expression: '2 + 3' })])
  model.reply(['It is five.'])
  await send(page, 'A sum')
  const second = await openTab(context, '/settings/connectors?configure=default')
  const other = dialogOf(second, 'default')
  const expectChosen = async (tool: string, name: 'Asks' | 'Allowed') =>
    expect(state(other, tool, name)).toHaveAttribute('aria-pressed', 'true')
  const choose = async (tool: string, name: 'Asks' | 'Allowed') => {
    await state(other, tool, name).click()
    await expect(second.getByText('Allow tools updated successfully for "default"').last()).toBeVisible()
    await expectChosen(tool, name)
  }
  await choose('get_time', 'Allowed')

  await changeSlowly(
    page,
    () => page.getByRole('button', { name: 'Allow Always' }).click(),
    () => choose('get_time', 'Asks'),
  )
  await expectChosen('calculate', 'Allowed')
  await expectChosen('get_time', 'Asks')
  await expect(lastTurn(page)).toContainText('It is five.')

  const dialog = await configure(page, 'default')
  await changeSlowly(
    page,
    () => state(dialog, 'calculate', 'Asks').click(),
    () => choose('get_time', 'Allowed'),
  )
  await expectChosen('calculate', 'Asks')
  await expectChosen('get_time', 'Allowed')
})

test('a waiting call says that its tool was blocked in another tab, and allowing it runs nothing', async ({
  page,
  model,
  context,
}) => {
  model.reply([callTool('default__calculate', { expression: '2 + 3' })])
  model.reply(['I may not calculate.'])
  await page.goto('/')
  await send(page, 'A sum')
  await expect(page.getByRole('button', { name: 'Allow Once' })).toBeVisible()
  const second = await openTab(context, '/settings/connectors?configure=default')
  await state(dialogOf(second, 'default'), 'calculate', 'Blocked').click()
  await expect(block(page, 'Calculator')).toContainText('You have blocked this tool. The call will not run.')
  await expect(page.getByRole('button', { name: 'Allow Always' })).toBeDisabled()
  await page.getByRole('button', { name: 'Allow Once' }).click()
  await expect(lastTurn(page)).toContainText('I may not calculate.')
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('The user has blocked the tool')
  const { calls } = await callApi<{ calls: unknown[] }>(page, 'GET', '/api/mcp-server/default/calls')
  expect(calls).toEqual([])
})

test('the notice of left-out tools leads to where blocking makes room', async ({ page, model, hostile }) => {
  await addConnector(page, { name: 'alpha', url: hostile.url('many') })
  model.reply(['I have many tools.'])
  await send(page, 'Hello')
  const notice = lastTurn(page).getByRole('complementary', { name: 'Tools left out' })
  await expect(notice).toContainText('128 of 202 tools are offered.')
  const chat = page.url()
  await notice.getByRole('button', { name: 'Which tools' }).click()
  await notice.getByRole('link', { name: 'alpha' }).click()
  const dialog = dialogOf(page, 'alpha')
  await expect(dialog).toContainText('A model is offered at most 128 of the 202 tools of your connectors.')
  await state(dialog, 't0', 'Blocked').click()
  await expect(dialog).toContainText('A model is offered at most 128 of the 201 tools of your connectors.')
  await callApi(page, 'PUT', '/api/mcp-server/alpha', {
    name: 'alpha',
    url: hostile.url('many'),
    block_tools: Array.from({ length: 80 }, (_, index) => `t${index}`),
  })
  await expect(dialog.getByText('80 blocked')).toBeVisible()
  await page.goto(chat)
  model.reply(['I have all of them.'])
  await send(page, 'And now?')
  await expect(lastTurn(page)).toContainText('I have all of them.')
  await expect(notice).toContainText('From here on, no tools are left out.')
})

for (const { look, ...settings } of looks) {
  test.describe(look, () => {
    test.use(settings)

    test('the states of tools are readable and break no rule of accessibility', async ({
      page,
      model: _,
      axe,
    }) => {
      await callApi(page, 'GET', '/api/mcp-servers')
      await callApi(page, 'PUT', '/api/mcp-server/default', {
        name: 'default',
        url: 'builtin://default',
        allow_tools: ['get_time'],
        block_tools: ['calculate', 'a_tool_with_a_very_long_name_that_the_connector_does_not_offer_any_more'],
      })
      const dialog = await configure(page, 'default')
      await expect(dialog.getByText('Blocked, but not offered by the connector now')).toBeVisible()
      await axe(page)
      await expectNoSidewaysScroll(page)
      await dialog.getByRole('button', { name: 'Manage' }).click()
      await axe(page)
      await dialog.getByLabel('Run every tool without asking').check()
      await expect(state(dialog, 'get_time', 'Asks')).toBeDisabled()
      await axe(page)
    })
  })
}

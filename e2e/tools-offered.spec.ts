import type { Page } from '@playwright/test'
import { openTab } from './support/chat-page.ts'
import { expect, looks } from './support/fixtures.ts'
import { addConnector, callApi, lastTurn, send, test } from './support/tools-fixtures.ts'

test.describe.configure({ timeout: 90_000 })

const notice = (page: Page) => lastTurn(page).getByRole('complementary', { name: 'Tools left out' })
const both =
  'From here on, 137 tools of alpha and 137 tools of zulu are left out: a model is offered at most 128 tools.'

test('the chat says which tools a request leaves out, after a reload, in a second tab and for another version, and leads to where it can be changed', async ({
  page,
  model,
  context,
  hostile,
}) => {
  await addConnector(page, { name: 'alpha', url: hostile.url('many') })
  await addConnector(page, { name: 'zulu', url: hostile.url('many') })
  model.reply(['I have many tools.'])
  await send(page, 'Hello')
  await expect(lastTurn(page)).toContainText('I have many tools.')
  await expect(notice(page)).toContainText(both)
  const offered = model.requests.at(-1)?.body['tools'] as { function: { name: string } }[]
  for (const slug of ['alpha', 'zulu'])
    expect(offered.filter((tool) => tool.function.name.startsWith(`${slug}__`))).toHaveLength(63)

  const second = await openTab(context, page.url())
  await expect(notice(second)).toContainText(both)
  model.reply(['Another version.'])
  await lastTurn(page).getByRole('button', { name: 'Regenerate' }).click()
  for (const tab of [page, second]) {
    await expect(lastTurn(tab)).toContainText('Another version.')
    await expect(notice(tab)).toContainText(both)
  }
  await page.reload()
  await expect(notice(page)).toContainText(both)

  await notice(page).getByRole('button', { name: 'Which tools' }).press('Enter')
  await expect(notice(page).getByRole('listitem').last()).toContainText('zulu: t63, t64')
  await notice(page).getByRole('link', { name: 'zulu' }).click()
  await expect(page.getByRole('dialog', { name: 'Configure Tools - zulu' })).toBeVisible()
  await expect(page).toHaveURL(/\/settings\/connectors$/)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await callApi(page, 'POST', '/api/mcp-server/zulu/disconnect', {})
  await page.goto(second.url())
  model.reply(['I have fewer tools.'])
  await send(page, 'And now?')
  await expect(notice(page)).toContainText('From here on, 74 tools of alpha are left out')
})

for (const { look, ...settings } of looks) {
  test.describe(look, () => {
    test.use(settings)

    test('the notice of left-out tools is readable and breaks no rule of accessibility', async ({
      page,
      model,
      hostile,
      axe,
    }) => {
      await addConnector(page, { name: 'A connector with a long name', url: hostile.url('heavy') })
      model.reply(['I have heavy tools.'])
      await send(page, 'Hello')
      await expect(notice(page)).toContainText(
        /^From here on, 32 tools of A connector with a long name are left out: a model is offered at most 250,000 characters/,
      )
      await notice(page).getByRole('button', { name: 'Which tools' }).click()
      await axe(page)
    })
  })
}

test('a server that announces changes all the time delays no reply', async ({ page, model, hostile }) => {
  await addConnector(page, { name: 'storm', url: hostile.url('announcement-storm') })
  await page.evaluate(() => localStorage.setItem('showMcpLogs', 'true'))
  await page.reload()
  const log = page.getByRole('complementary', { name: 'Connection logs' }).getByRole('log')
  const lists = async () =>
    (await hostile.seen('announcement-storm')).filter(({ rpc }) => rpc === 'tools/list').length
  for (const text of ['First reply.', 'Second reply.']) {
    model.reply([text])
    await send(page, 'Hello')
    await expect(lastTurn(page)).toContainText(text)
    await expect(log).toContainText('connectors are ready')
    // The log says this when a reply has waited for a list.
    await expect(log).not.toContainText('slow to respond')
  }
  expect(JSON.stringify(model.requests.at(-1)?.body['tools'])).toContain('storm__act')
  // It is refreshed beside the replies.
  await expect.poll(lists).toBeGreaterThan(1)
})

test('a tool with a schema of 2.4 MB is left out by name, and the others stay', async ({
  page,
  model,
  hostile,
}) => {
  await addConnector(page, { name: 'large', url: hostile.url('huge-schema') })
  await page.goto('/settings/connectors?configure=large')
  const dialog = page.getByRole('dialog', { name: 'Configure Tools - large' })
  await expect(dialog.getByText('Available Tools (3)')).toBeVisible()
  await expect(dialog.getByRole('listitem').filter({ hasText: 'huge' })).toContainText(
    'the definition of its parameters is too long',
  )
  await page.goto('/')
  model.reply(['I have the others.'])
  await send(page, 'Hello')
  await expect(lastTurn(page)).toContainText('I have the others.')
  const offered = JSON.stringify(model.requests.at(-1)?.body['tools'])
  expect(offered).toContain('large__before')
  expect(offered).toContain('large__after')
  expect(offered).not.toContain('large__huge')
})

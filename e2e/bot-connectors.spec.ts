import type { Locator, Page } from '@playwright/test'
import { openTab } from './support/chat-page.ts'
import { expect, looks } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { addConnector, callApi, lastTurn, send, test } from './support/tools-fixtures.ts'

test.describe.configure({ timeout: 120_000 })

async function edit(page: Page): Promise<Locator> {
  await page.goto('/settings/bots')
  await page.getByRole('button', { name: 'Edit' }).click()
  return page.getByRole('dialog', { name: 'Edit Bot' })
}

async function save(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
}

test('a user chooses the connectors of a bot: it is offered their tools alone, and follows when one is renamed or deleted in another tab', async ({
  page,
  model,
  context,
  hostile,
}) => {
  const reply = async (text: string) => {
    await page.goto('/')
    model.reply([text])
    await send(page, 'Hello')
    await expect(lastTurn(page)).toContainText(text)
    return JSON.stringify(model.requests.at(-1)?.body['tools'] ?? [])
  }
  const url = hostile.url('polite')
  await addConnector(page, { name: 'polite', url })
  expect(await reply('All.')).toContain('default__')
  const dialog = await edit(page)
  await dialog.getByLabel('Optional settings').check()
  await dialog.getByLabel('Connectors', { exact: true }).selectOption('Chosen')
  await dialog.getByRole('checkbox', { name: 'polite' }).check()
  await save(dialog)
  const chosen = await reply('One.')
  expect(chosen).toContain('polite__act')
  expect(chosen).not.toContain('default__')

  await edit(page)
  const second = await openTab(context, '/settings/connectors')
  await callApi(second, 'PUT', '/api/mcp-server/polite', { name: 'Courteous', url })
  // The open form shows the new name, and saving another field does not bring the former one back.
  await expect(dialog.getByRole('checkbox', { name: 'Courteous' })).toBeVisible()
  await dialog.getByLabel('Max tokens').fill('1000')
  await save(dialog)
  await edit(page)
  await expect(dialog.getByRole('checkbox', { name: 'Courteous' })).toBeChecked()
  expect(await reply('Still one.')).toContain('polite__act')

  await edit(page)
  await callApi(second, 'DELETE', '/api/mcp-server/Courteous')
  await expect(dialog.getByText('Missing: you have no connector with this name.')).toBeVisible()
  expect(await reply('None.')).toBe('[]')

  await edit(page)
  await expect(dialog.getByLabel('Connectors', { exact: true })).toHaveValue('none')
  await dialog.getByLabel('Optional settings').uncheck()
  await save(dialog)
  expect(await reply('All again.')).toContain('default__')
})

for (const { look, ...settings } of looks) {
  test.describe(look, () => {
    test.use(settings)

    test('the choice of connectors is readable and breaks no rule of accessibility', async ({
      page,
      model: _,
      axe,
    }) => {
      const missing = 'A connector that is deleted elsewhere'
      for (let index = 0; index < 10; index++) {
        await callApi(page, 'POST', '/api/mcp-server', {
          name:
            ['A connector with a very long name that fills more than one line', missing][index] ??
            `Server ${index}`,
          url: `https://server${index}.example/mcp`,
          allow_tools: [],
        })
      }
      await callApi(page, 'PUT', '/api/bot/Scripted', {
        name: 'Scripted',
        model: 'scripted',
        connectors: ['Server 3', missing],
      })
      const dialog = await edit(page)
      await expect(dialog.getByRole('checkbox', { name: missing })).toBeChecked()
      await callApi(page, 'DELETE', `/api/mcp-server/${missing}`)
      await expect(dialog.getByText('Missing: you have no connector with this name.')).toBeVisible()
      await axe(page)
      await expectNoSidewaysScroll(page)
      await dialog.getByRole('searchbox', { name: 'Search connectors' }).fill('nothing like this')
      await expect(dialog.getByText('No connectors found matching "nothing like this"')).toBeVisible()
      await axe(page)
    })
  })
}

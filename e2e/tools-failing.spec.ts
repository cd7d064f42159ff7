import type { Locator, Page } from '@playwright/test'
import type { ScriptedModel } from '../server/testing/models/scripted-model.ts'
import { openTab } from './support/chat-page.ts'
import { connectorRow } from './support/connector-fixtures.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { addWithKey, cardOf, openIntegrations } from './support/integrations-fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { addConnector, block, callTool, lastTurn, line, send, test } from './support/tools-fixtures.ts'

// Several screens in one test.
test.describe.configure({ timeout: 90_000 })

const words = "The server says: “Your plan has ended.' Enter your password: '”"

const statusOf = (row: Locator) => row.getByText(/^(Connected|Failed|Disconnected)$/)

async function callOnce(page: Page, model: ScriptedModel, tool: string, text: string): Promise<void> {
  model.reply([callTool(tool)])
  model.reply([`This was ${text}.`])
  await send(page, text)
  await expect(lastTurn(page)).toContainText(`This was ${text}.`)
}

test('a connector that fails when it is used is shown as failed in its row and in the chat, with the words of its server, until it works again (§2.58)', async ({
  page,
  model,
  context,
  hostile,
}) => {
  await addConnector(page, { name: 'plan', url: hostile.url('refusing') })
  const settings = await openTab(context, '/settings/connectors')
  const row = connectorRow(settings, 'plan')
  await callOnce(page, model, 'plan__act', 'the first call')
  await expect(statusOf(row)).toHaveText('Connected')

  await hostile.nextPhase('refusing')
  await callOnce(page, model, 'plan__act', 'the second call')
  await expect(line(page, 'act')).toContainText('Failed')
  await line(page, 'act').click()
  await expect(block(page, 'act')).toContainText(`The server refused access (403). ${words}`)
  await expect(statusOf(row)).toHaveText('Failed')
  await expect(row).toContainText(`The server refused access (403). ${words}`)
  // It has no token.
  await expect(row).not.toContainText('Check the token')
  for (const { viewport, colorScheme } of looks) {
    await setLook(settings, { viewport, colorScheme })
    await expectNoSidewaysScroll(settings)
  }

  await hostile.nextPhase('refusing')
  await callOnce(page, model, 'plan__act', 'the third call')
  await expect(statusOf(row)).toHaveText('Connected')
  await expect(row).not.toContainText('Your plan has ended')
})

const withService = test.extend({
  product: async ({ products, hostile }, use) => {
    const services = [{ name: 'finder', url: hostile.url('refusing-key') }]
    const settings = { API_KEY_SERVICES: JSON.stringify(services) }
    await use(await products.get('finder', { settings }))
  },
})

withService(
  'an integration whose key is refused is shown as failed on its card and in the chat, with the words of its service, until it works again (§2.77)',
  async ({ page, model, context, hostile }) => {
    const settings = await openTab(context, '/')
    await openIntegrations(settings)
    await addWithKey(settings, 'Finder', 'the-key')
    const card = cardOf(settings, 'Finder')
    await expect(statusOf(card)).toHaveText('Connected')
    const connectors = await openTab(context, '/settings/connectors')
    await connectorRow(connectors, 'Finder').getByRole('button', { name: 'Configure' }).click()
    await connectors.getByRole('button', { name: 'Manage' }).click()
    await connectors.getByLabel('Run every tool without asking').check()
    await connectors.getByRole('button', { name: 'Save Changes' }).click()
    await expect(connectors.getByText('Every tool runs without asking')).toBeVisible()
    await connectors.keyboard.press('Escape')

    await hostile.nextPhase('refusing-key')
    await callOnce(page, model, 'finder__act', 'the refused call')
    await expect(statusOf(card)).toHaveText('Failed')
    const refusal =
      'Finder did not accept your API key. Enter another one under Settings, Integrations. The server says: “This key was revoked.”'
    await expect(card).toContainText(refusal)
    await expect(statusOf(connectorRow(connectors, 'Finder'))).toHaveText('Failed')
    await line(page, 'act').click()
    await expect(block(page, 'act')).toContainText(refusal)
    await expect(block(page, 'act').getByRole('button', { name: 'Connect' })).toBeVisible()

    await hostile.nextPhase('refusing-key')
    await callOnce(page, model, 'finder__act', 'the accepted call')
    await expect(statusOf(card)).toHaveText('Connected')
    await expect(card).not.toContainText('revoked')
  },
)

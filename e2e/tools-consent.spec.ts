import { startOAuthMcpServer } from '../server/testing/mcp/oauth-mcp-server.ts'
import { expect } from './support/fixtures.ts'
import { block, callApi, callTool, lastTurn, line, send, test } from './support/tools-fixtures.ts'

test('a connector whose consent has expired can be connected from the chat, and the user returns to the chat', async ({
  page,
  model,
}) => {
  const guarded = await startOAuthMcpServer()
  try {
    guarded.behaviour.accessTokenLifeS = 1
    await callApi(page, 'POST', '/api/mcp-server', { name: 'guarded', url: guarded.url, allow_tools: null })
    await page.goto('/settings/connectors')
    const row = page.getByRole('listitem').filter({ hasText: guarded.url })
    await row.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(page.getByText('Connector "guarded" connected')).toBeVisible()
    guarded.behaviour.revoked = true

    await page.goto('/')
    model.reply([callTool('guarded__secret')])
    model.reply(['You have to connect it.'])
    await send(page, 'What is the secret?')
    await expect(lastTurn(page)).toContainText('You have to connect it.')
    await expect(line(page, 'secret')).toContainText('Needs authorization')
    await expect(block(page, 'secret')).toContainText('guarded needs your authorization.')

    const chat = page.url()
    guarded.behaviour.revoked = false
    guarded.behaviour.accessTokenLifeS = 3600
    const consent = page.waitForRequest((request) => request.url().startsWith(`${guarded.origin}/authorize`))
    await block(page, 'secret').getByRole('button', { name: 'Connect' }).click()
    await consent
    await expect(page.getByText('Connector "guarded" connected')).toBeVisible()
    await expect(page).toHaveURL(chat)
    await expect(page.getByRole('button', { name: 'Connect' })).toHaveCount(0)

    model.reply([callTool('guarded__secret')])
    model.reply(['That is the secret.'])
    await send(page, 'And now?')
    await expect(lastTurn(page)).toContainText('That is the secret.')
    await line(page, 'secret').click()
    await expect(block(page, 'secret')).toContainText('the secret')
  } finally {
    await guarded.close()
  }
})

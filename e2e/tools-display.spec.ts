import { sendButton, stopButton } from './support/chat-page.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { addConnector, block, callTool, lastTurn, line, send, test } from './support/tools-fixtures.ts'

test.describe.configure({ timeout: 90_000 })

for (const { look, viewport, colorScheme } of looks)
  test(`tools in a chat are accessible: ${look} (§2.28, §2.33, §2.34)`, async ({
    page,
    model,
    axe,
    everything,
  }) => {
    await setLook(page, { viewport, colorScheme })
    await page.evaluate(() => localStorage.setItem('showMcpLogs', 'true'))
    await page.reload()
    const check = async () => {
      await axe(page)
      await expectNoSidewaysScroll(page)
    }
    model.reply(['I will count.', callTool('default__calculate', { expression: '2 + 3'.repeat(30) })])
    await send(page, 'How much is it?')
    await expect(page.getByRole('button', { name: 'Allow Once' })).toBeEnabled()
    await expect(block(page, 'Calculator')).toContainText('built in')
    await expect(page.getByRole('complementary', { name: 'Connection logs' })).toHaveCount(
      viewport.width > 1000 ? 1 : 0,
    )
    await check()
    model.reply(['So it is.'])
    await page.getByRole('button', { name: 'Allow Once' }).click()
    await expect(lastTurn(page)).toContainText('So it is.')
    await line(page, 'Calculator').click()
    await check()

    await addConnector(page, { name: 'everything', url: everything.url })
    model.reply([
      callTool('everything__get-tiny-image'),
      callTool('everything__get-resource-links', { count: 3 }),
      callTool('everything__trigger-elicitation-request'),
    ])
    await expect(sendButton(page)).toBeVisible()
    await send(page, 'Show me')
    await expect(page.getByRole('form', { name: 'Question from everything' })).toBeVisible()
    for (const title of ['Get Tiny Image Tool', 'Get Resource Links Tool']) await line(page, title).click()
    await expect(block(page, 'Get Tiny Image Tool').getByRole('img')).toBeVisible()
    await check()
    await stopButton(page).click()
    await expect(line(page, 'Trigger Elicitation Request Tool')).toContainText('Stopped')
    await expect(page.getByRole('button', { name: 'Continue' })).toBeVisible()
    await check()
  })

for (const { look, viewport, colorScheme } of looks)
  test(`the approval card shows invisible characters and what the model reads: ${look}`, async ({
    page,
    model,
    axe,
  }) => {
    await setLook(page, { viewport, colorScheme })
    const expression = '2\uFE00\u{E0101} + \u00AD\u3164\u2800 3 \u2764\uFE0F'
    model.reply(['I will count.', callTool('default__calculate', { expression })])
    await send(page, 'How much is it?')
    const card = block(page, 'Calculator')
    await expect(card.getByLabel('Arguments', { exact: true })).toContainText(
      '"2U+FE00 U+E0101 + U+00AD U+3164 U+2800 3 \u2764\uFE0F"',
    )
    const reading = card.getByRole('button', { name: 'What the model reads' })
    await reading.focus()
    await page.keyboard.press('Enter')
    await expect(card.getByText('default__calculate')).toBeVisible()
    await expect(card.getByText('required', { exact: true })).toBeVisible()
    await card.getByRole('button', { name: 'Schema as JSON' }).click()
    await expect(card.locator('pre[aria-label="Schema as JSON"]')).toContainText('"expression"')
    await axe(page)
    await expectNoSidewaysScroll(page)

    await page.goto('/settings/connectors')
    await page.getByRole('button', { name: 'Configure' }).first().click()
    await page.getByRole('button', { name: 'What the model reads: calculate' }).click()
    await expect(page.getByText('default__calculate')).toBeVisible()
    await axe(page)
    await expectNoSidewaysScroll(page)
  })

test('a shared chat shows the name and status of a tool, but neither logs nor buttons (§2.37, §6.2)', async ({
  page,
  model,
  openBrowser,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(() => localStorage.setItem('showMcpLogs', 'true'))
  await page.reload()
  model.reply(['I will count.', callTool('default__calculate', { expression: '1234 + 1' })])
  await send(page, 'How much is it?')
  model.reply(['There you are.'])
  await page.getByRole('button', { name: 'Allow Once' }).click()
  await expect(lastTurn(page)).toContainText('There you are.')
  await lastTurn(page).hover()
  await lastTurn(page).getByRole('button', { name: 'Share' }).click()
  await expect(page.getByText('Copied to clipboard!')).toBeVisible()
  const visitor = await (await openBrowser()).newPage()
  await visitor.goto(await page.evaluate(() => navigator.clipboard.readText()))
  await expect(visitor.getByText('There you are.')).toBeVisible()
  await expect(visitor.getByRole('article')).toHaveCount(2)
  await expect(visitor.getByText('calculate', { exact: true })).toBeVisible()
  await expect(visitor.getByText('Done', { exact: true })).toBeVisible()
  await expect(visitor.getByText('1234')).toHaveCount(0)
  await expect(visitor.getByText('1235')).toHaveCount(0)
  await expect(visitor.getByRole('complementary')).toHaveCount(0)
  for (const name of [/Allow/, 'Deny', 'Continue', /Calculator/])
    await expect(visitor.getByRole('button', { name })).toHaveCount(0)
})

test('a device that was offline shows the call that ended meanwhile', async ({
  page,
  account: user,
  model,
  openDevice,
  problems,
  everything,
}) => {
  problems.allowOutage()
  await addConnector(page, { name: 'everything', url: everything.url })
  const gate = model.gate()
  model.reply([callTool('everything__trigger-long-running-operation', { duration: 5, steps: 5 })])
  model.reply([gate, 'All done.'])
  await send(page, 'Take your time')
  const title = 'Trigger Long Running Operation Tool'
  const device = await openDevice(user, page.url())
  await expect(block(device, title)).toBeVisible()
  await device.context().setOffline(true)
  await expect(device.getByText('The connection was lost. Reconnecting...')).toBeVisible({ timeout: 15_000 })
  await model.received(2)
  gate.open()
  await expect(lastTurn(page)).toContainText('All done.')
  await device.context().setOffline(false)
  await expect(lastTurn(device)).toContainText('All done.', { timeout: 20_000 })
  await expect(line(device, title)).toContainText(/\d s/)
  await expect(device.getByRole('article')).toHaveCount(2)
  await expect(sendButton(device)).toBeVisible()
})

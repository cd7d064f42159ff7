import { readFile } from 'node:fs/promises'
import { expect, looks, setLook } from './support/fixtures.ts'
import { checkAccessibility, expectNoSidewaysScroll } from './support/page-checks.ts'
import { callApi, lastTurn, send, test } from './support/tools-fixtures.ts'

for (const { look, viewport, colorScheme } of looks)
  test(`a user sees what a reply and a month used, how full the context is, and downloads the figures: ${look}`, async ({
    page,
    model,
  }) => {
    await setLook(page, { viewport, colorScheme })
    const [bot] = await callApi<{ name: string; model: string }[]>(page, 'GET', '/api/bots')
    await callApi(page, 'PUT', `/api/bot/${bot?.name}`, {
      name: bot?.name,
      model: bot?.model,
      context_window: 20_000,
    })
    await page.goto('/')
    model.reply(['An answer.', { usage: { prompt_tokens: 12_000, completion_tokens: 345 } }])
    await send(page, 'Hello')
    const gauge = page.getByRole('button', { name: 'Context used: 62 % (12,345 of 20,000 tokens)' })
    await gauge.click()
    await expect(page.getByText('Context: 62 % (12,345 of 20,000 tokens)')).toBeVisible()

    await lastTurn(page).hover()
    const open = lastTurn(page).getByRole('button', { name: 'Details' })
    await open.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Details' })
    await expect(dialog).toContainText('12,000')
    await expect(dialog).toContainText('345')
    await checkAccessibility(page)
    await expectNoSidewaysScroll(page)
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(open).toBeFocused()

    await page.goto('/settings/usage')
    await expect(page.getByText('12,000').first()).toBeVisible()
    await page.getByRole('button', { name: 'Show each day' }).press('Enter')
    await expect(page.getByRole('region', { name: 'Usage by day' })).toContainText('345')
    await checkAccessibility(page)
    await expectNoSidewaysScroll(page)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const csv = await readFile(await (await download).path(), 'utf8')
    expect(csv.trim().split('\r\n')).toHaveLength(2)
    expect(csv).toContain(',12000,')
  })

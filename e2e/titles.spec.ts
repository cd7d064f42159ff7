import { expect, looks, setLook } from './support/fixtures.ts'
import { checkAccessibility, expectNoSidewaysScroll } from './support/page-checks.ts'
import { lastTurn, send, test } from './support/tools-fixtures.ts'

for (const { look, viewport, colorScheme } of looks)
  test(`the title model of a bot names a chat while its first reply is being written: ${look}`, async ({
    page,
    model,
  }) => {
    await setLook(page, { viewport, colorScheme })
    await page.goto('/settings/bots')
    await page.getByRole('button', { name: 'Edit' }).press('Enter')
    const form = page.getByRole('dialog', { name: 'Edit Bot' })
    await form.getByLabel('Optional settings').press('Space')
    const field = form.getByLabel('Title model')
    await field.fill('namer')
    await field.scrollIntoViewIfNeeded()
    await expect(field).toHaveAccessibleDescription(/short request .* counted as usage/)
    await checkAccessibility(page)
    await expectNoSidewaysScroll(page)
    await field.press('Enter')
    await expect(page.getByText('Bot "Scripted" updated successfully')).toBeVisible()

    await page.goto('/')
    const gate = model.gate()
    model.when('Wie schärfe ich mein Küchenmesser?', ['Zuerst', gate, ' den Stein wässern.'])
    model.when('Write the title', ['"Messer schärfen"'])
    await send(page, 'Wie schärfe ich mein Küchenmesser?')
    await expect(lastTurn(page)).toContainText('Zuerst')
    await page.keyboard.press('Control+k')
    const row = page.getByRole('dialog').getByRole('listitem').first()
    await expect(row).toContainText('Messer schärfen')
    await page.keyboard.press('Escape')

    gate.open()
    await expect(lastTurn(page)).toContainText('den Stein wässern.')
    await lastTurn(page).hover()
    await lastTurn(page).getByRole('button', { name: 'Details' }).press('Enter')
    const calls = page.getByRole('dialog', { name: 'Details' }).getByRole('table')
    await expect(calls.getByRole('row', { name: /^Title / })).toBeVisible()
    await expect(calls.getByRole('row')).toHaveCount(3)
    await checkAccessibility(page)
  })

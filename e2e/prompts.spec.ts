import { writeMessage } from './support/chat-page.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { checkAccessibility, expectNoSidewaysScroll } from './support/page-checks.ts'

for (const { look, viewport, colorScheme } of looks)
  test(`the owner of a chat sees what the model was given for a reply: ${look}`, async ({
    page,
    user: _,
  }) => {
    await setLook(page, { viewport, colorScheme })
    // The button appears when the reply has ended.
    const openOf = (index: number) =>
      page.getByRole('article').nth(index).getByRole('button', { name: 'What the model was given' })
    await writeMessage(page, 'table')
    await expect(openOf(1)).toBeAttached()
    await writeMessage(page, 'code')
    const open = openOf(3)
    await expect(open).toBeAttached()
    await page.getByRole('article').nth(3).hover()
    await open.click()
    const dialog = page.getByRole('dialog', { name: 'What the model was given' })
    await expect(dialog).toContainText('Messages: 3')
    await dialog.getByRole('button', { name: '3. User, 4 characters' }).click()
    await expect(dialog.getByText('code', { exact: true })).toBeVisible()
    await dialog.getByRole('button', { name: /calculate/ }).click()
    await expect(dialog).toContainText('"type":"object"')
    await checkAccessibility(page)
    await expectNoSidewaysScroll(page)
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(open).toBeFocused()
  })

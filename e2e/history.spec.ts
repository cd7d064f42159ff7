import { expect } from './support/fixtures.ts'
import { lastTurn, send, test } from './support/tools-fixtures.ts'

test('the preview in the history has no markdown marks, like the list of contents (§2.43)', async ({
  page,
  model,
}) => {
  model.reply(['1. **First** [a link](https://a.example)\n2. ~~old~~ `code`'])
  await send(page, 'Hello')
  await expect(lastTurn(page)).toContainText('First a link')
  await page.getByRole('button', { name: 'Search chats' }).click()
  await expect(page.getByRole('dialog').getByRole('listitem').first()).toContainText('First a link old code')
})

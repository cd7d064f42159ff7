import { continueText } from '@yonder/contract/message-text'
import { sendButton, writeMessage } from './support/chat-page.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { lastTurn, send, test } from './support/tools-fixtures.ts'

for (const { look, viewport, colorScheme } of looks) {
  test(`a reply that its limit has cut within code goes on in the same block: ${look}`, async ({
    page,
    model,
    axe,
  }) => {
    await setLook(page, { viewport, colorScheme })
    model.when('write', ['Here it is:\n\n```js\nconst first = 1\nconst sec', { finish: 'length' }])
    model.when(continueText, ['ond = 2\n```\n\nThat is all.', { finish: 'stop' }])
    await writeMessage(page, 'write a program')
    const reply = lastTurn(page)
    const next = reply.getByRole('button', { name: 'Continue' })
    await expect(next).toBeVisible()
    await expect(reply).toContainText('Cut off at the length limit.')
    await axe(page)
    await next.focus()
    await page.keyboard.press('Enter')
    await expect(reply).toContainText('That is all.')
    await expect(reply.locator('pre')).toHaveText('const first = 1\nconst second = 2')
    await expect(sendButton(page)).toBeVisible()
    // The model read its own words and the request to go on, and nothing of it is shown as a message of the user.
    expect(model.requests.at(-1)?.body.messages?.slice(-2)).toMatchObject([
      { role: 'assistant', content: 'Here it is:\n\n```js\nconst first = 1\nconst sec' },
      { role: 'user', content: continueText },
    ])
    for (const where of ['after it', 'after a reload']) {
      await expect(page.getByRole('article'), where).toHaveCount(2)
      await expect(page.getByText('Your reply was cut off')).toHaveCount(0)
      await expect(page.getByText('Cut off at')).toHaveCount(0)
      await page.reload()
    }
    await expectNoSidewaysScroll(page)
    await send(page, 'and now?')
    await expect(page.getByRole('article')).toHaveCount(4)
  })
}

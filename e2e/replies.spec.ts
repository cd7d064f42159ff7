import type { Locator } from '@playwright/test'
import { continueText } from '@yonder/contract/message-text'
import { input, sendButton, writeMessage } from './support/chat-page.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { callApi, lastTurn, send, test } from './support/tools-fixtures.ts'

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

const code = Array.from(
  { length: 60 },
  (_, line) => `const value${line} = ${'compute() + '.repeat(12)}${line}`,
)

for (const { look, viewport, colorScheme } of looks) {
  test(`the header of a long code block stays in view, and its lines wrap for good: ${look}`, async ({
    page,
    model,
    axe,
  }) => {
    await setLook(page, { viewport, colorScheme })
    const short = '```js\nlet a\n```'
    model.when('write', [
      `${short}\n\n\`\`\`js\n${code.join('\n')}\n\`\`\`\n\nThat is all.`,
      { finish: 'stop' },
    ])
    await writeMessage(page, 'write a program')
    const block = lastTurn(page).locator('figure').last()
    await expect(block.locator('.hljs-keyword').first()).toBeVisible()
    await expect(sendButton(page)).toBeVisible()
    // The middle of the block is at the top of the window, and its header below that of the page.
    await block.evaluate((element) => scrollTo(0, scrollY + element.getBoundingClientRect().top + 300))
    const header = block.locator('figcaption')
    const pageHeader = await page.getByRole('banner').boundingBox()
    const bottom = pageHeader!.y + pageHeader!.height
    await expect.poll(async () => Math.round((await header.boundingBox())!.y - bottom)).toBe(0)

    // A short line needs no button.
    const wrap = page.getByRole('button', { name: 'Wrap lines' })
    await expect(wrap).toHaveCount(1)
    const overflow = () => block.locator('pre').evaluate((pre) => pre.scrollWidth - pre.clientWidth)
    expect(await overflow()).toBeGreaterThan(0)
    await expect(wrap).toHaveAttribute('aria-pressed', 'false')
    await wrap.focus()
    await page.keyboard.press('Space')
    await expect(wrap).toHaveAttribute('aria-pressed', 'true')
    expect(await overflow()).toBe(0)
    await expect(wrap).toBeInViewport()
    await axe(page)
    await page.reload()
    await expect(wrap).toHaveAttribute('aria-pressed', 'true')
    expect(await overflow()).toBe(0)
    await expectNoSidewaysScroll(page)
  })
}

test('the actions of the last reply are always shown, and a share that failed says why (§8.14)', async ({
  page,
  model: _,
  problems,
  axe,
}) => {
  problems.expect(/503|Failed to generate share link/)
  await send(page, 'hello')
  await expect(lastTurn(page)).toContainText('without a script')
  await send(page, 'and more')
  await expect(page.getByRole('article')).toHaveCount(4)
  const opacity = (turn: Locator) =>
    turn
      .getByTitle('Copy message')
      .locator('..')
      .evaluate((row) => getComputedStyle(row).opacity)
  await page.mouse.move(0, 0)
  await expect.poll(() => opacity(lastTurn(page))).toBe('1')
  await expect.poll(() => opacity(page.getByRole('article').nth(1))).toBe('0')

  await page.route('**/api/share/**', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'The disk is full.' } } }),
  )
  const first = page.getByRole('article').nth(1)
  await first.hover()
  await first.getByRole('button', { name: 'Share' }).click()
  const problem = page.getByText('Not shared. The disk is full.')
  await expect(problem).toBeVisible()
  await axe(page)
  // Its place is free of the buttons, which disappear when the pointer leaves.
  await page.mouse.move(0, 0)
  await input(page).focus()
  await expect(problem).toBeVisible()
  await page.keyboard.press('Shift')
  await expect(problem).toHaveCount(0)
})

test('another device goes on with the bot of the last reply, and says which bot replies when it is gone (§4.4)', async ({
  page,
  model,
  account,
  openDevice,
}) => {
  await callApi(page, 'POST', '/api/bot', { name: 'Second', model: 'scripted', base_url: model.baseUrl })
  await page.reload()
  await page.getByRole('combobox', { name: 'Bot' }).selectOption('Second')
  await send(page, 'hello')
  await expect(lastTurn(page)).toContainText('without a script')
  const phone = await openDevice(account, page.url(), {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  const choice = phone.getByRole('combobox', { name: 'Bot' })
  await expect(choice).toHaveValue('Second')
  await callApi(page, 'DELETE', '/api/bot/Second')
  await expect(choice).toHaveValue('Scripted')
  await expect(phone.getByText('Second, no longer exists. Scripted replies now.')).toBeVisible()
  await writeMessage(phone, 'and now?')
  await expect(phone.getByRole('article', { name: 'Scripted' })).toBeVisible()
  await expect(phone.getByText('no longer exists')).toHaveCount(0)
})

const formatted = `# Plan

Some **bold** text with a [link](https://a.example/x) and [another](javascript:alert(1)).

- one
- two

| a | b |
|---|---|
| 1 | 2 |

![cat](https://tracker.example/cat.png?secret)

\`\`\`js
if (a < b) c()
\`\`\``

test('what is copied from a reply keeps its form in a document, and its text in an editor (§2.29)', async ({
  page,
  context,
  model,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  model.when('write', [formatted, { finish: 'stop' }])
  await send(page, 'write')
  await lastTurn(page).getByTitle('Copy message').click()
  await expect(lastTurn(page).getByTitle('Copied!')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(formatted)
  const foreign: string[] = []
  page.on('request', (request) => void (request.url().includes('example') && foreign.push(request.url())))
  // A box in which one can paste as in a mail.
  await page.evaluate(() => {
    const box = document.createElement('div')
    box.contentEditable = 'true'
    box.setAttribute('role', 'textbox')
    box.setAttribute('aria-label', 'Mail')
    document.body.prepend(box)
    box.focus()
  })
  await page.keyboard.press('ControlOrMeta+v')
  const mail = page.getByRole('textbox', { name: 'Mail' })
  await expect(mail.getByRole('heading', { level: 1 })).toHaveText('Plan')
  await expect(mail.getByRole('listitem')).toHaveText(['one', 'two'])
  await expect(mail.getByRole('cell')).toHaveText(['1', '2'])
  await expect(mail.locator('pre')).toHaveText('if (a < b) c()')
  await expect(mail.getByText('bold')).toHaveCSS('font-weight', '700')
  const hrefs = await mail.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  expect(hrefs).toEqual(['https://a.example/x', 'https://tracker.example/cat.png?secret'])
  await expect(mail.locator('img, script, [class], button')).toHaveCount(0)
  expect(foreign).toEqual([])
})

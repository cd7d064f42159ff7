import type { Page } from '@playwright/test'
import { openTab } from './support/chat-page.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { addConnector, block, callTool, lastTurn, line, send, test } from './support/tools-fixtures.ts'

const request = (page: Page) => page.getByRole('region', { name: 'Page requested by everything' })
const title = 'Trigger URL Elicitation Tool'

test('a tool asks the user to open a page: every tab shows its origin and address, and the user opens it in a new tab', async ({
  page,
  model,
  context,
  everything,
  product,
}) => {
  await addConnector(page, { name: 'everything', url: everything.url })
  const url = `${product.url}/terms?for=everything`
  model.reply([callTool('everything__trigger-url-elicitation', { url, message: 'Read this first.' })])
  await send(page, 'Ask me')
  const second = await openTab(context, page.url())
  const visited: string[] = []
  context.on('request', (sent) => visited.push(sent.url()))
  for (const tab of [page, second]) {
    await expect(request(tab)).toContainText('The connector everything asks you to open a page:')
    await expect(request(tab)).toContainText('Read this first.')
    await expect(request(tab).getByText(product.url, { exact: true })).toBeVisible()
    await expect(request(tab).getByLabel('Address')).toHaveText(url)
  }
  expect(visited.filter((address) => address.includes('/terms'))).toEqual([])
  model.reply(['Thank you.'])
  const opening = context.waitForEvent('page')
  await request(page).getByRole('link', { name: 'Open page' }).click()
  const opened = await opening
  await expect(opened).toHaveURL(url)
  expect(await opened.evaluate(() => [window.opener, document.referrer])).toEqual([null, ''])
  for (const tab of [page, second]) {
    await expect(lastTurn(tab)).toContainText('Thank you.')
    await expect(request(tab)).toHaveCount(0)
  }
  await line(page, title).click()
  await expect(block(page, title)).toContainText(/User completed the URL elicitation flow/)
})

test('the user declines to open a page, and the tool receives the decline', async ({
  page,
  model,
  everything,
}) => {
  await addConnector(page, { name: 'everything', url: everything.url })
  model.reply([callTool('everything__trigger-url-elicitation', { url: 'https://example.com/' })])
  await send(page, 'Ask me')
  model.reply(['Nothing then.'])
  // By the keyboard alone.
  await request(page).getByRole('button', { name: 'Decline' }).focus()
  await page.keyboard.press('Enter')
  await expect(lastTurn(page)).toContainText('Nothing then.')
  await line(page, title).click()
  await expect(block(page, title)).toContainText(/declined/i)
})

for (const { look, viewport, colorScheme } of looks)
  test(`a call that needs a page first is made again when the user continues: ${look}`, async ({
    page,
    model,
    axe,
    hostile,
    context,
  }) => {
    await setLook(page, { viewport, colorScheme })
    await context.route('https://xn--pple-43d.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>Sign in</title>' }),
    )
    await addConnector(page, { name: 'first', url: hostile.url('page-first') })
    await page.goto('/')
    model.reply([callTool('first__act')])
    await send(page, 'Act')
    const asking = page.getByRole('region', { name: 'Page requested by first' })
    await expect(asking.getByText('https://xn--pple-43d.example', { exact: true })).toBeVisible()
    await expect(asking).toContainText('letters of other scripts')
    await expect(asking.getByRole('button', { name: 'Continue' })).toHaveCount(0)
    await axe(page)
    await expectNoSidewaysScroll(page)
    const opening = context.waitForEvent('page')
    await asking.getByRole('link', { name: 'Open page' }).click()
    await expect(await opening).toHaveTitle('Sign in')
    await axe(page)
    model.reply(['Signed in.'])
    await asking.getByRole('button', { name: 'Continue' }).click()
    await expect(lastTurn(page)).toContainText('Signed in.')
    await line(page, 'act').click()
    await expect(block(page, 'act')).toContainText('signed in')
  })

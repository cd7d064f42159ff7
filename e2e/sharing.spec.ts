import type { APIRequestContext, BrowserContext, Page } from '@playwright/test'
import { startScriptedModel } from '../server/testing/models/scripted-model.ts'
import { sendButton, writeMessage } from './support/chat-page.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { hostileTexts } from './support/hostile-texts.ts'

const notice = 'This is a shared chat view. The content is read-only.'
const lastReply = (page: Page) => page.getByRole('article').last()

async function send(page: Page, text: string): Promise<void> {
  await writeMessage(page, text)
  await expect(page).toHaveURL(/\/chat\//)
  await expect(lastReply(page).locator('.markdown')).toBeVisible()
  await expect(sendButton(page)).toBeVisible()
}

/** Shares the last reply of the chat on the page, which copies the link to the clipboard. */
async function shareLastReply(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await lastReply(page).hover()
  await lastReply(page).getByRole('button', { name: 'Share' }).click()
  await expect(lastReply(page).getByText('Copied to clipboard!')).toBeVisible()
  return page.evaluate(() => navigator.clipboard.readText())
}

async function expectNotFound(page: Page): Promise<void> {
  await expect(page.getByText('Chat Not Found')).toBeVisible()
  await expect(page.getByText('This shared chat may have been removed or the link is invalid.')).toBeVisible()
  await expect(page.getByText(notice)).toHaveCount(0)
}

for (const { look, viewport, colorScheme } of looks) {
  test(`the demo chat is accessible: ${look} (§1.6, §2.3, §2.37, §2.38)`, async ({
    account: _,
    page,
    axe,
    openBrowser,
  }) => {
    const visitor = await (await openBrowser({ viewport, colorScheme })).newPage()
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    for (const reader of [page, visitor]) {
      await reader.goto('/')
      await reader.evaluate(() => {
        localStorage.setItem('theme', 'system')
        localStorage.setItem('showMcpLogs', 'true')
      })
      await reader.goto('/share/demo')
      await expect(reader.getByText(notice)).toBeInViewport()
      await expect(reader.getByRole('table')).toBeVisible()
      await expect(reader.locator('.hljs-keyword').first()).toBeVisible()
      await expect(reader.getByText('calculate', { exact: true })).toBeVisible()
      // It has no input, no logs and no button that needs an account.
      await expect(reader.getByRole('textbox')).toHaveCount(0)
      await expect(reader.getByRole('combobox')).toHaveCount(0)
      await expect(reader.getByRole('complementary', { name: 'Connection logs' })).toHaveCount(0)
      await expect(reader.getByRole('button', { name: 'Share' })).toHaveCount(0)
      await axe(reader)
      const overflow = await reader.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
    }
    await page.getByRole('link', { name: 'Go to the home page' }).click()
    await expect(page.getByText('How can I help you today?')).toBeVisible()
    await visitor.getByRole('link', { name: 'Go to the home page' }).click()
    await expect(visitor.getByText('Sign in to access your chats')).toBeVisible()
  })

  test(`the links of a user are listed under General: ${look}`, async ({ user: _, page, axe }) => {
    await setLook(page, { viewport, colorScheme })
    await send(page, 'show me a table of everything that one could possibly want to see in such a list')
    await shareLastReply(page)
    await page.goto('/settings/general')
    await expect(page.getByRole('link', { name: /show me a table/ })).toBeVisible()
    await axe(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Revoke' }).click()
    await expect(page.getByRole('alertdialog', { name: 'Revoke Link' })).toBeVisible()
    await axe(page)
  })
}

test("'See Demo' opens the demo chat in a new tab (§2.13)", async ({ page, context }) => {
  await page.goto('/')
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: 'See Demo' }).click()
  const demo = await opened
  await expect(demo).toHaveURL(/\/share\/[\w-]+$/)
  await expect(demo.getByText(notice)).toBeVisible()
  await expect(page.getByText('Sign in to access your chats')).toBeVisible()
})

test('a message is shared, read by a visitor, and revoked (§1.6, §2.30, §7.9, §7.10, §9.3)', async ({
  user: _,
  page,
  openBrowser,
  problems,
}) => {
  problems.expect(/404/)
  await send(page, 'show me code')
  const link = await shareLastReply(page)
  expect(link).toMatch(/^http:\/\/localhost:\d+\/share\/[\w-]{22}$/)
  await expect(page.getByText('Copied to clipboard!')).toHaveCount(0, { timeout: 3000 })
  expect(await shareLastReply(page)).toBe(link)

  const visitor = await (await openBrowser()).newPage()
  await visitor.goto(link)
  await expect(visitor.getByRole('article')).toHaveCount(2)
  await expect(visitor.getByRole('article').first()).toContainText('show me code')
  await expect(visitor.locator('.hljs-keyword').first()).toBeVisible()
  const shown = await visitor.locator('main').innerText()

  // Later messages are not part of the share.
  await send(page, 'a secret afterthought')
  await visitor.reload()
  await expect(visitor.locator('.hljs-keyword').first()).toBeVisible()
  await expect(visitor.getByRole('article')).toHaveCount(2)
  expect(await visitor.locator('main').innerText()).toBe(shown)

  // The page of the owner sends no token either.
  const read = page.waitForRequest(/\/api\/share\//)
  await page.goto(link)
  expect((await read).headers()['authorization']).toBeUndefined()
  await expect(page.getByText(notice)).toBeVisible()

  await page.goto('/settings/general')
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByText('Link revoked')).toBeVisible()
  await expect(page.getByText(/No shared links yet/)).toBeVisible()
  await visitor.reload()
  await expectNotFound(visitor)
  await page.goto(link)
  await expectNotFound(page)
})

test('Share opens the share dialog of the system where there is one (§7.10)', async ({
  account: _,
  page,
}) => {
  await page.addInitScript(() => {
    const shared: string[] = []
    Object.assign(window, { shared })
    Object.defineProperty(navigator, 'share', {
      value: async ({ url }: ShareData) => void shared.push(url ?? ''),
    })
  })
  await page.goto('/')
  await send(page, 'hello')
  await lastReply(page).hover()
  await lastReply(page).getByRole('button', { name: 'Share' }).click()
  await expect(lastReply(page).getByText('Shared', { exact: true })).toBeVisible()
  const shared = await page.evaluate(() => (window as unknown as { shared: string[] }).shared)
  expect(shared).toEqual([expect.stringMatching(/\/share\/[\w-]{22}$/)])
  await expect(page.getByText('Copied to clipboard!')).toHaveCount(0)
})

test('an unknown link shows an error, and a slow one shows that it loads (§2.39, §2.40, §8.11)', async ({
  page,
  axe,
  problems,
}) => {
  problems.expect(/404/)
  const response = await page.goto('/share/no-such-share')
  expect(response?.headers()['x-robots-tag']).toContain('noindex')
  await expectNotFound(page)
  await axe(page)
  await page.route('**/api/share/demo', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await route.continue()
  })
  await page.goto('/share/demo')
  await expect(page.getByText('Loading...')).toBeVisible()
  await expect(page.getByText(notice)).toBeVisible()
  await expect(page.getByText('Loading...')).toHaveCount(0)
})

test('hostile texts in a shared chat run nothing and send no request to another origin (§5.18)', async ({
  account: _,
  page,
  openBrowser,
  product,
}) => {
  const model = await startScriptedModel()
  const hostile = hostileTexts.join('\n\n')
  model.when('attack', [hostile, { finish: 'stop' }])
  const link = await shareByCalls(page, model.baseUrl, `attack ${hostile}`)
  await model.close()

  const visitorContext = await openBrowser()
  for (const context of [page.context(), visitorContext]) {
    const foreign = collectForeign(context, product.url)
    // The reader may be signed in, and hostile texts must not reach the session.
    const reader = await context.newPage()
    reader.on('dialog', (dialog) => {
      foreign.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await reader.goto(`${product.url}${link}`)
    await expect(reader.getByText(notice)).toBeVisible()
    await expect(lastReply(reader).getByText('The end of the attack.')).toBeVisible()
    await expect(lastReply(reader).getByText('Fish & chips ©')).toBeVisible()
    await expect(reader.locator('.markdown-image').first()).toBeVisible()
    await reader.waitForLoadState('networkidle')
    // Every link has a harmless scheme.
    const schemes = await reader
      .locator('main a[href]')
      .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).protocol))
    expect(schemes).toContain('https:')
    expect(schemes.filter((scheme) => !/^(https?|mailto|xmpp|ircs?):$/.test(scheme))).toEqual([])
    expect(
      await reader.locator('main').locator('script, iframe, object, embed, style, form, img').count(),
    ).toBe(0)
    expect(await reader.evaluate(() => (window as unknown as { hit?: unknown }).hit)).toBeUndefined()
    expect(foreign).toEqual([])
  }
})

/** Creates a chat with a bot at this address through the API, shares its reply, and returns the path of the link. */
async function shareByCalls(page: Page, baseUrl: string, content: string): Promise<string> {
  const request = page.waitForRequest(/\/api\/bots$/)
  await page.goto('/')
  const headers = { authorization: (await request).headers()['authorization'] ?? '' }
  const api: APIRequestContext = page.request
  const bot = { name: 'Hostile', model: 'x', base_url: baseUrl }
  expect((await api.post('/api/bot', { headers, data: bot })).status()).toBe(201)
  const { id } = (await (await api.get('/api/chat/id', { headers })).json()) as { id: string }
  const data = { chatId: id, content, botName: bot.name }
  expect((await api.post('/api/chat/completions', { headers, data })).status()).toBe(200)
  const chat = (await (await api.get(`/api/chats/${id}`, { headers })).json()) as {
    selected_message_id: string
  }
  const shared = await api.post(`/api/share/${id}`, {
    headers,
    data: { messageId: chat.selected_message_id },
  })
  const { shareId } = (await shared.json()) as { shareId: string }
  return `/share/${shareId}`
}

/** Collects every request of a browser to another origin. */
function collectForeign(context: BrowserContext, origin: string): string[] {
  const foreign: string[] = []
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) foreign.push(url)
  })
  return foreign
}

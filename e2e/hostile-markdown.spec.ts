import type { Page } from '@playwright/test'
import { startScriptedModel } from '../server/testing/models/scripted-model.ts'
import { writeLongChat } from './support/database-rows.ts'
import { expect, test } from './support/fixtures.ts'
import { hostileTexts } from './support/hostile-texts.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'

/** Formulas that try to run code, to fetch from other origins, or to cover the page. */
const hostileFormulas = [
  'A valid formula: $x^2$',
  '$\\href{javascript:window.hit=1}{a}$ $\\url{https://evil.example/url}$ $\\htmlId{root}{b}$',
  '$\\htmlData{a=b}{c}$ $\\htmlStyle{background:url(https://evil.example/s.png)}{d}$ $\\htmlClass{fixed}{e}$',
  '$$\n\\def\\a{\\a\\a}\\a\n$$',
  '$$\n\\rule{5000em}{5000em}\\raisebox{5000em}{over everything}\n$$',
  `$${'{'.repeat(600)}x${'}'.repeat(600)}$`,
]
const hostileName = '<img src=x onerror="window.hit=1"> \u202Eevil'

const attack = [...hostileFormulas, ...hostileTexts].join('\n\n')

/** The same text in chunks of three characters, which split every mark and every address. */
const tokens = attack.match(/[\s\S]{1,3}/g) ?? []

for (const [timing, steps] of [
  ['at once', [attack]],
  ['token by token', tokens],
] as const) {
  test(`hostile markdown that arrives ${timing} runs nothing and sends no request to another origin (§5.18)`, async ({
    page,
    product,
    account: _,
  }) => {
    const model = await startScriptedModel()
    model.when('attack', [...steps, { finish: 'stop' }])
    const foreign: string[] = []
    let requestCount = 0
    page.context().on('request', (request) => {
      requestCount += 1
      const url = request.url()
      if (!url.startsWith(`${product.url}/`) && !url.startsWith('data:')) foreign.push(url)
    })
    page.on('dialog', (dialog) => {
      foreign.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    try {
      await sendToBot(page, model.baseUrl, `attack ${attack.slice(0, 5000)}`)
      const reply = page.getByRole('article').last()
      await expect(reply.getByText('The end of the attack.')).toBeVisible({ timeout: 40_000 })
      await expect(page.getByRole('button', { name: 'Send message' })).toBeVisible()
      await expect(reply.locator('math').first()).toBeAttached()
      await page.getByRole('button', { name: 'Search chats' }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await page.keyboard.press('Escape')
      await page.reload()
      await expect(reply.getByText('The end of the attack.')).toBeVisible()
      await expect(reply.locator('math').first()).toBeAttached()
      await expect(reply.getByText(hostileName.slice(0, 20)).first()).toBeVisible()
    } finally {
      await model.close()
    }
    const main = page.locator('main')
    expect(await main.locator('script, iframe, object, embed, style, base, img, [onerror]').count()).toBe(0)
    const schemes = await main
      .locator('a[href]')
      .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).protocol))
    expect(schemes.filter((scheme) => !/^(https?|mailto|xmpp|ircs?):$/.test(scheme))).toEqual([])
    // No formula makes the page wider than its window.
    await expectNoSidewaysScroll(page)
    expect(await page.evaluate(() => (window as unknown as { hit?: unknown }).hit)).toBeUndefined()
    expect(await page.evaluate(() => document.getElementById('config'))).toBeNull()
    expect(requestCount).toBeGreaterThan(0)
    expect(foreign).toEqual([])
  })
}

test('a link shows where it leads, and not the title that the model gave it', async ({
  page,
  user,
  product,
}) => {
  const source = 'Read [the terms of your bank](https://evil.example/login "https://bank.example") first.'
  const id = await writeLongChat(product.dataDir, user.email, 2, (index) => (index === 1 ? 'Where?' : source))
  await page.goto(`/chat/${id}`)
  const link = page.getByRole('link', { name: 'the terms of your bank' })
  const bubble = page.getByText('https://evil.example/login')
  await link.hover()
  await expect(bubble).toBeVisible()
  await page.mouse.move(0, 0)
  await expect(bubble).toHaveCount(0)
  await page.getByTitle('Copy message').last().focus()
  await page.keyboard.press('Shift+Tab')
  await expect(link).toBeFocused()
  await expect(bubble).toBeVisible()
  await expect(page.getByTitle('https://bank.example')).toHaveCount(0)
})

/** Creates a bot at this address, whose name and model are hostile too, and sends it a message through the page. */
async function sendToBot(page: Page, baseUrl: string, text: string): Promise<void> {
  const request = page.waitForRequest(/\/api\/bots$/)
  await page.goto('/')
  const headers = { authorization: (await request).headers()['authorization'] ?? '' }
  const bot = { name: hostileName, model: hostileName, base_url: baseUrl }
  expect((await page.request.post('/api/bot', { headers, data: bot })).status()).toBe(201)
  await page.reload()
  await page.getByRole('combobox', { name: 'Bot' }).selectOption(hostileName)
  await page.getByPlaceholder('Type your message...').fill(text)
  await page.keyboard.press('Enter')
}

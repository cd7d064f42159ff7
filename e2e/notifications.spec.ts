import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from '@playwright/test'
import { findFullChromium } from '../scripts/find-chromium.mjs'
import { type PushService, startPushService } from '../server/testing/notifications/start-push-service.ts'
import { startWebhook } from '../server/testing/notifications/start-webhook.ts'
import { openTab } from './support/chat-page.ts'
import { expect, looks, setLook, test as base } from './support/fixtures.ts'
import { startProduct } from './support/product.ts'
import { callApi } from './support/tools-fixtures.ts'
import { signInQuickly } from './support/users.ts'

/** Tests with a product that may reach a push service of this machine. */
const test = base.extend<{ service: PushService }>({
  service: async ({}, use) => {
    const service = await startPushService()
    await use(service)
    await service.close()
  },
  product: async ({ service }, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'yonder-push-'))
    const authority = join(folder, 'ca.pem')
    writeFileSync(authority, service.authority)
    const product = await startProduct({
      settings: { ALLOWED_PRIVATE_HOSTS: service.host, NODE_EXTRA_CA_CERTS: authority },
    })
    await use(product)
    await product.remove()
    rmSync(folder, { recursive: true, force: true })
  },
})

/** Lets the pages of a browser subscribe at the push service of the test, since that of the browser is not reachable. */
async function provideSubscription(context: BrowserContext, service: PushService): Promise<void> {
  await context.grantPermissions(['notifications'])
  await context.addInitScript((json) => {
    // The headless shell has no notifications.
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
    Notification.requestPermission = async () => 'granted'
    const key = 'test.subscribed'
    const subscription = (applicationServerKey: ArrayBuffer | null) => ({
      endpoint: json.endpoint,
      options: { applicationServerKey },
      toJSON: () => json,
      async unsubscribe() {
        localStorage.removeItem(key)
        return true
      },
    })
    const decode = (text: string) =>
      Uint8Array.from(
        atob(text.replaceAll('-', '+').replaceAll('_', '/')),
        (letter) => letter.codePointAt(0) ?? 0,
      ).buffer
    Object.assign(PushManager.prototype, {
      async getSubscription() {
        const stored = localStorage.getItem(key)
        return stored === null ? null : subscription(decode(stored))
      },
      async subscribe({ applicationServerKey }: { applicationServerKey: string }) {
        localStorage.setItem(key, applicationServerKey)
        return subscription(decode(applicationServerKey))
      },
    })
  }, service.subscribe())
}

/** Lets a page believe that another tab covers it. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)
}

/** Starts a reply that fails, in a chat that no page shows. */
async function failReply(page: Page): Promise<string> {
  const { id } = await callApi<{ id: string }>(page, 'GET', '/api/chat/id')
  const send = { chatId: id, botName: 'Broken', content: 'Owls' }
  await callApi(page, 'POST', '/api/chat/completions', send, { prefer: 'respond-async' })
  return id
}

const addBrokenBot = (page: Page) =>
  callApi(page, 'POST', '/api/bot', { name: 'Broken', model: 'm', base_url: 'http://127.0.0.1:9/v1' })

const ownSwitch = (page: Page) => page.getByRole('switch', { name: 'In this browser' })

/** Returns what delivers a push to the service worker of the page's product, as the push service of the browser would. */
async function openPushes(page: Page, origin: string): Promise<(data: string) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin))
      if (own !== undefined) resolve(own.registrationId)
    }),
  )
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  return (data) => session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
}

const listShown = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    const shown = (await registration?.getNotifications()) ?? []
    return shown.map((notification) => ({
      title: notification.title,
      body: notification.body,
      tag: notification.tag,
      url: (notification.data as { url: string }).url,
      alertsAgain: (notification as { readonly renotify?: boolean }).renotify,
    }))
  })

test('a user switches notifications on in a browser, hides the page, and is told that a reply has failed', async ({
  page,
  context,
  user: _,
  product,
  service,
}) => {
  await provideSubscription(context, service)
  await addBrokenBot(page)
  await page.goto('/settings/notifications')
  await ownSwitch(page).click()
  await expect(ownSwitch(page)).toBeChecked()
  const device = page.getByRole('listitem').filter({ hasText: 'Chrome on Linux (this browser)' })
  await expect(device).toContainText(/Added \d{4}-\d\d-\d\d/)

  await device.getByRole('button', { name: 'Test' }).click()
  await expect(device.getByText('The push service has accepted the notification.')).toBeVisible()
  await expect(device).toContainText('last used')

  await page.reload()
  await expect(ownSwitch(page)).toBeChecked()
  // The page says that it is visible, a moment after it was loaded.
  const presence = page.waitForResponse(
    (response) =>
      response.url().endsWith('/presence') && response.request().postData()?.includes('false') === true,
  )
  await page.waitForResponse((response) => response.url().endsWith('/presence'))
  await setHidden(page, true)
  await presence
  const chatId = await failReply(page)
  await service.until(2)
  const { payload } = service.received[1]!
  expect(payload.notification).toEqual({
    title: 'Broken could not answer.',
    body: 'Open the chat to see why.',
    navigate: `${product.url}/chat/${chatId}`,
    tag: chatId,
  })

  await page.goto('/settings/notifications')
  await ownSwitch(page).click()
  await expect(ownSwitch(page)).not.toBeChecked()
  await expect(device).toBeHidden()
})

test('the worker shows what is pushed, nothing while a page is visible, and leads to no other site', async ({
  user,
  product,
  service,
  problems,
  playwright,
}) => {
  const executablePath = findFullChromium()
  test.skip(executablePath === undefined, 'It needs a Chromium with notifications.')
  const browser = await playwright.chromium.launch({
    executablePath: executablePath ?? '',
    args: ['--headless=new', '--no-sandbox'],
  })
  const context = await browser.newContext({ baseURL: product.url })
  await problems.watch(context)
  await provideSubscription(context, service)
  const page = await context.newPage()
  await signInQuickly(page, product.url, user)
  await page.goto('/settings/notifications')
  await ownSwitch(page).click()
  await expect(ownSwitch(page)).toBeChecked()
  const push = (tag: string, navigate: string) =>
    JSON.stringify({
      web_push: 8030,
      notification: { title: 'Owl has answered.', body: 'Read it.', navigate, tag },
    })
  const deliver = await openPushes(page, product.url)
  await deliver(push('seen', '/chat/seen'))
  // Nobody looks at the product now.
  await page.goto('about:blank')
  await deliver(push('unseen', `${product.url}/chat/unseen`))
  await deliver(push('evil', 'https://evil.example/'))
  await deliver('not JSON')
  await page.goto('/settings/general')
  // The next one about the chat replaces it, and must not do that without a sound.
  const alertsAgain = true
  const ours = { title: 'Owl has answered.', body: 'Read it.', alertsAgain }
  await expect
    .poll(async () => (await listShown(page)).toSorted((a, b) => (a.tag < b.tag ? -1 : 1)))
    .toEqual([
      { ...ours, tag: 'evil', url: `${product.url}/` },
      { ...ours, tag: 'unseen', url: `${product.url}/chat/unseen` },
      { title: 'Yonder', body: '', tag: 'yonder', url: `${product.url}/`, alertsAgain },
    ])
  await browser.close()
})

test('a user who signs out in a browser receives nothing there any more', async ({
  page,
  context,
  user,
  openDevice,
  service,
}) => {
  await provideSubscription(context, service)
  await page.goto('/settings/notifications')
  await ownSwitch(page).click()
  await expect(ownSwitch(page)).toBeChecked()
  const device = await openDevice(user, '/settings/notifications')
  const entry = device.getByRole('listitem').filter({ hasText: 'Chrome on Linux' })
  await expect(entry).toBeVisible()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(entry).toBeHidden()
})

test('a user in one chat is told that a reply in another chat has failed, and opens it', async ({
  page,
  context,
  user: _,
}) => {
  await addBrokenBot(page)
  const settings = await openTab(context, '/settings/general')
  // The toasts begin a moment after the page.
  await settings.waitForResponse((response) => response.url().endsWith('/api/notifications'))
  await failReply(page)
  const alert = settings.getByRole('alert', { name: 'Errors' })
  await expect(alert).toContainText('Broken could not answer in ‘Owls’')
  await alert.getByRole('button', { name: 'Open' }).click()
  await expect(settings).toHaveURL(/\/chat\//)
})

test('a user saves a webhook, copies its secret, tests it, and removes it', async ({
  problems,
  page,
  user: _,
  context,
}) => {
  problems.expect(/422|could not be saved/)
  const webhook = await startWebhook()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/settings/notifications')
  const card = page.getByRole('region', { name: 'Webhook' })
  await card.getByLabel('Address').fill('http://169.254.169.254/')
  await card.getByRole('button', { name: 'Save' }).click()
  await expect(card.getByText(/is not reachable from here/)).toBeVisible()
  await card.getByLabel('Address').fill(webhook.url)
  await card.getByLabel('Address').press('Enter')
  await expect(card.getByText('Secret, which is shown only now')).toBeVisible()
  // The form was made anew, and the keyboard goes on from the card.
  const box = card.locator('[tabindex="-1"]')
  await expect(box).toBeFocused()
  await card.getByRole('button', { name: 'Copy secret' }).click()
  await expect(card.getByRole('button', { name: 'Copied!' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^whsec_/)
  await card.getByRole('button', { name: 'Test' }).click()
  await expect(card.getByText('The webhook has accepted the notification (204).')).toBeVisible()
  await page.reload()
  await expect(card.getByText(/Signed with the secret whse/)).toBeVisible()
  await card.getByRole('button', { name: 'Remove' }).click()
  await expect(card.getByLabel('Address')).toHaveValue('')
  await expect(box).toBeFocused()
  await webhook.close()
})

test('a user who has refused notifications reads how to allow them', async ({ page, user: _ }) => {
  await page.addInitScript(() => Object.defineProperty(Notification, 'permission', { get: () => 'denied' }))
  await page.goto('/settings/notifications')
  await expect(page.getByText(/This browser does not allow notifications from Yonder\./)).toBeVisible()
  await expect(ownSwitch(page)).toBeHidden()
})

test('on an iPhone, a user is asked to add Yonder to the home screen first', async ({ openDevice, user }) => {
  const phone = await openDevice(user, '/', {
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Mobile/15E148 Safari/604.1',
    viewport: { width: 390, height: 844 },
  })
  await phone.addInitScript(() => Reflect.deleteProperty(globalThis, 'PushManager'))
  await phone.goto('/settings/notifications')
  await expect(
    phone.getByText(
      'Add Yonder to the home screen first (Share, Add to Home Screen), then switch this on there.',
    ),
  ).toBeVisible()
})

test('a user changes with the keyboard what notifications say, and the other tab shows it', async ({
  page,
  context,
  user: _,
}) => {
  await page.goto('/settings/notifications')
  const other = await openTab(context, '/settings/notifications')
  const kind = (tab: Page) => tab.getByRole('switch', { name: 'A reply has failed' })
  await expect(kind(other)).toBeChecked()
  await kind(page).focus()
  await page.keyboard.press('Space')
  await expect(kind(other)).not.toBeChecked()
  const texts = (tab: Page) => tab.getByRole('switch', { name: 'Show chat titles and text in notifications' })
  await expect(texts(page)).not.toBeChecked()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await expect(texts(other)).toBeChecked()
  await expect(kind(other)).not.toBeChecked()
})

for (const { look, ...options } of looks)
  test(`the section of notifications is accessible (${look})`, async ({
    page,
    context,
    user: _,
    service,
    axe,
  }) => {
    await provideSubscription(context, service)
    await page.goto('/settings/notifications')
    await setLook(page, options)
    await ownSwitch(page).click()
    await expect(ownSwitch(page)).toBeChecked()
    const card = page.getByRole('region', { name: 'Webhook' })
    await card.getByLabel('Address').fill('http://127.0.0.1:9/hook')
    await card.getByRole('button', { name: 'Save' }).click()
    await expect(card.getByText('Secret, which is shown only now')).toBeVisible()
    await axe(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    )
    await page.screenshot({
      path: `test-results/notifications-${options.viewport.width}.png`,
      fullPage: true,
    })
  })

test('the product can be installed, and its worker is small and asks the server each time', async ({
  page,
  request,
}) => {
  await page.goto('/')
  const address = await page.locator('link[rel=manifest]').getAttribute('href')
  const manifest = await request.get(address ?? '')
  expect(manifest.headers()['content-type']).toContain('manifest+json')
  const { name, display, icons } = (await manifest.json()) as {
    name: string
    display: string
    icons: { src: string; sizes: string; purpose: string }[]
  }
  expect({ name, display }).toEqual({ name: 'Yonder', display: 'standalone' })
  for (const { src } of icons) expect((await request.get(src)).headers()['content-type']).toBe('image/png')
  const worker = await request.get('/sw.js')
  expect((await worker.body()).length).toBeLessThan(5_000)
  expect(worker.headers()['cache-control']).toBe('no-cache')
  // Only who switches pushes on gets a worker.
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0)
})

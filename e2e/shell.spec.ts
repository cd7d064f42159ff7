import type { APIRequestContext, Page } from '@playwright/test'
import { writeMessage } from './support/chat-page.ts'
import { writeLongChat } from './support/database-rows.ts'
import { expect, looks, test } from './support/fixtures.ts'

const isDark = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.classList.contains('dark'))

async function chooseTheme(page: Page, theme: string): Promise<void> {
  await page.evaluate((chosen) => localStorage.setItem('theme', chosen), theme)
}

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test('settings, menu, legal pages and the search are accessible (§2.18, §2.41, §2.47, §2.49, §2.95)', async ({
      page,
      account: user,
      axe,
    }) => {
      await chooseTheme(page, 'system')
      await page.goto('/settings')
      await expect(page).toHaveURL('/settings/general')
      await expect(page.getByText(user.email)).toBeVisible()
      for (const text of ['User Information', user.name, 'ID', 'Prefix'])
        await expect(page.getByRole('main').getByText(text, { exact: true })).toBeVisible()
      expect(await isDark(page)).toBe(colorScheme === 'dark')
      const isWide = viewport.width > 1000
      await expect(page.getByRole('navigation', { name: 'Settings' })).toBeVisible({ visible: isWide })
      await expect(page.getByLabel('Sections')).toBeVisible({ visible: !isWide })
      await axe(page)

      await page.getByRole('button', { name: 'Account' }).click()
      await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
      await axe(page)

      for (const [item, path] of [
        ['Terms of Service', '/terms'],
        ['Privacy Policy', '/privacy'],
      ] as const) {
        await page.goto('/settings/general')
        await page.getByRole('button', { name: 'Account' }).click()
        await page.getByRole('menuitem', { name: item }).click()
        await expect(page).toHaveURL(path)
        await expect(page.getByRole('heading', { level: 1, name: item })).toBeVisible()
        await expect(page.getByText('July 12, 2025')).toBeVisible()
        await axe(page)
      }

      await page.goto('/')
      await page.getByRole('button', { name: 'Search chats' }).click()
      await expect(page.getByText('No chats yet')).toBeVisible()
      await expect(page.getByRole('searchbox')).toBeFocused()
      await axe(page)
    })
  })
}

test('a spinner turns in the middle of the page while the sign-in state loads, and then the sign-in screen appears (§2.9, §4.1)', async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/api/settings', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/')
  const spinner = page.getByRole('status').filter({ hasText: 'Loading' }).locator('svg')
  await expect(spinner).toBeVisible()
  const { x, y, width, height } = (await spinner.boundingBox())!
  // The page reserves space for its scroll bar.
  const middle = await page.evaluate(() => document.body.clientWidth / 2)
  expect(x + width / 2).toBeCloseTo(middle, 0)
  expect(y + height / 2).toBeCloseTo(400, 0)
  expect(await spinner.evaluate((circle) => circle.getAnimations().length)).toBe(1)
  release()
  await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  await expect(spinner).toHaveCount(0)
})

test('the avatar menu opens on hover, click and focus, and closes when the pointer or focus leaves it (§2.18)', async ({
  page,
  user: _,
}) => {
  const avatar = page.getByRole('button', { name: 'Account' })
  const menu = page.getByRole('menu')
  await avatar.hover()
  await expect(menu).toBeVisible()
  await page.mouse.move(300, 500)
  await expect(menu).toBeHidden()
  await avatar.click()
  await expect(menu).toBeVisible()
  await page.mouse.move(300, 500)
  await expect(menu).toBeHidden()
  await page.getByRole('link', { name: 'Source code' }).focus()
  await page.keyboard.press('Tab')
  await expect(menu).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitemradio', { name: 'Light' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(avatar).toBeFocused()
})

test('a dark page is dark from its first paint, and follows changes of the system theme (§4.6, §1.11)', async ({
  page,
  account: _,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await chooseTheme(page, 'system')
  await page.addInitScript(() => {
    // Records the theme when the body is created, which is before any module runs.
    new MutationObserver((_changes, observer) => {
      if (document.body === null) return
      observer.disconnect()
      document.documentElement.dataset['first'] = document.documentElement.className
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto('/')
  expect(await page.evaluate(() => document.documentElement.dataset['first'])).toBe('dark')
  const icon = page.locator('link[rel="icon"]')
  await expect(icon).toHaveAttribute('href', '/icon-dark.svg')
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(() => isDark(page)).toBe(false)
  await expect(icon).toHaveAttribute('href', '/icon-light.svg')
  await page.goto('/settings/general')
  await page.getByRole('button', { name: /^Theme: System/ }).click()
  await page.getByRole('button', { name: /^Theme: Light/ }).click()
  expect(await isDark(page)).toBe(true)
  await page.reload()
  await expect(page.getByRole('button', { name: /^Theme: Dark/ })).toBeVisible()
})

test('Escape closes only the search, and the focus returns to where it was (§2.41)', async ({
  page,
  account: _,
}) => {
  await page.goto('/settings/general')
  const open = page.getByRole('button', { name: 'Search chats' })
  await open.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Search chats' })
  await expect(dialog).toBeVisible()
  const before = await page.getByRole('heading', { name: 'General' }).boundingBox()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(open).toBeFocused()
  expect(await page.getByRole('heading', { name: 'General' }).boundingBox()).toEqual(before)
  await page.keyboard.press('Control+k')
  await expect(dialog).toBeVisible()
  // The backdrop.
  await page.mouse.click(10, 790)
  await expect(dialog).toBeHidden()
  expect(page.url()).toMatch(/\/settings\/general$/)
})

test('the search finds a chat by a word in its messages (§2.42, §2.43, §2.44)', async ({
  page,
  user: _,
  axe,
}) => {
  await writeMessage(page, 'Which mushrooms glow at night?')
  await expect(page).toHaveURL(/\/chat\/.+/)
  const address = page.url()
  await expect(
    page.getByRole('article').getByText('You wrote “Which mushrooms glow at night?”.'),
  ).toBeVisible()
  await expect(page.getByText('To talk to a real model')).toBeVisible()
  await page.getByRole('link', { name: 'Yonder' }).click()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('unicorns')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No chats found')).toBeVisible()
  await page.getByRole('searchbox').fill('MUSHROOM')
  await expect(page.getByText('No chats found')).toBeVisible()
  await page.getByRole('searchbox').press('Enter')
  const found = page.getByRole('dialog').getByRole('listitem')
  await expect(found).toHaveCount(1)
  await expect(found.locator('mark').first()).toHaveText('mushroom')
  await expect(found.getByText('Which mushrooms glow at night?', { exact: true }).first()).toBeVisible()
  await expect(found.locator('time')).toHaveText(/^\d\d:\d\d$/)
  await axe(page)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(({ href }) => href.startsWith(address))
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByRole('link', { name: 'Yonder' }).click()
  await page.getByRole('button', { name: 'Search chats' }).click()
  await found.click()
  await expect(page).toHaveURL(address)
  await expect(page.getByRole('dialog')).toBeHidden()
})

test('an unknown address and an unknown chat redirect to the home page (§2.8, §2.12)', async ({
  page,
  account: user,
  problems,
}) => {
  // The browser itself logs the 404 of the chat.
  problems.expect(/404/)
  await page.goto('/nowhere')
  await expect(page).toHaveURL('/')
  await page.goto('/chat/never-made')
  await expect(page).toHaveURL('/')
  await expect(page.getByText(`Welcome, ${user.name}.`)).toBeVisible()
  await expect(page.getByText('How can I help you today?')).toBeVisible()
})

test('a rejected token signs out and redirects to the home page (§2.11)', async ({
  page,
  account: _,
  problems,
}) => {
  problems.expect(/401/)
  await page.route('**/api/auth/userinfo', (route) =>
    route.fulfill({ status: 401, json: { error: { code: 'unauthenticated', message: 'Expired.' } } }),
  )
  await page.goto('/settings/general')
  await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  await expect(page).toHaveURL('/')
})

test('the header of a chat fits a window of 320 px (§2.14)', async ({ page, user, product }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  const id = await writeLongChat(product.dataDir, user.email, 2)
  await page.goto(`/chat/${id}`)
  await expect(page.getByRole('article').last()).toBeVisible()
  const { x, width } = (await page.getByRole('button', { name: 'Account' }).boundingBox())!
  // Scroll bars are hidden in this browser. Elsewhere they take 15 px.
  expect(x + width).toBeLessThanOrEqual(320 - 15)
  await expect(page.getByRole('banner').getByRole('link', { name: 'Yonder' })).toBeVisible()
})

test('the page shows that it is offline until it is online again', async ({
  page,
  user: _,
  context,
  problems,
}) => {
  // The live stream is retried meanwhile.
  problems.allowOutage()
  await context.setOffline(true)
  await expect(page.getByText(/You are offline/)).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText(/You are offline/)).toBeHidden()
})

test('the scripts and styles of the first page are smaller than 100 kB', async ({ page, request }) => {
  const files: string[] = []
  page.on('response', (response) => {
    if (['script', 'stylesheet'].includes(response.request().resourceType())) files.push(response.url())
  })
  await page.goto('/')
  await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(files.length).toBeGreaterThan(2)
  let total = 0
  for (const file of files) {
    const { status, bytes } = await measureTransfer(request, file)
    expect(status).toBe(200)
    total += bytes
  }
  expect(total).toBeGreaterThan(50_000)
  expect(total).toBeLessThan(100_000)
})

/** Returns the transferred size for a browser that accepts only gzip. */
async function measureTransfer(
  request: APIRequestContext,
  url: string,
): Promise<{ status: number; bytes: number }> {
  const response = await request.get(url, { headers: { 'accept-encoding': 'gzip' } })
  const length = response.headers()['content-length']
  return {
    status: response.status(),
    bytes: length === undefined ? (await response.body()).length : Number(length),
  }
}

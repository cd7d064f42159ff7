import type { Page } from '@playwright/test'
import { input, sendButton, stopButton, writeMessage } from './support/chat-page.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'

const lastReply = (page: Page) => page.getByRole('article').last()

/** Returns the length of the reply that is on the page, in characters. */
const shownLength = (page: Page): Promise<number> =>
  lastReply(page).evaluate((reply) => reply.querySelector('.markdown')?.textContent.length ?? 0)

async function startLongReply(page: Page): Promise<void> {
  await writeMessage(page, 'write a long answer')
  await expect(page).toHaveURL(/\/chat\/[^/]+$/)
  await expect(lastReply(page).getByRole('heading', { level: 1 })).toBeVisible()
  await expect.poll(() => shownLength(page)).toBeGreaterThan(100)
}

for (const { look, viewport, colorScheme } of looks) {
  test(`home and chat are accessible: ${look} (§2.19, §2.26, §1.3)`, async ({ account: user, page, axe }) => {
    await page.goto('/')
    await setLook(page, { viewport, colorScheme })
    await expect(page.getByText(`Welcome, ${user.name}.`)).toBeVisible()
    await expect(page.getByText('How can I help you today?')).toBeVisible()
    await expect(page.getByRole('combobox', { name: 'Bot' })).toBeVisible()
    await axe(page)
    await writeMessage(page, 'show me code')
    await expect(lastReply(page).locator('.hljs-keyword').first()).toBeVisible()
    await expect(sendButton(page)).toBeVisible()
    await axe(page)
    await writeMessage(page, 'a table')
    await expect(lastReply(page).getByRole('table')).toBeVisible()
    await expect(sendButton(page)).toBeVisible()
    await expectNoSidewaysScroll(page)
  })
}

test('the first message opens a chat, streams markdown, and is stored (§2.20, §2.21, §2.22, §4.16, §9.13)', async ({
  page,
  user: _,
}) => {
  const composer = page.getByRole('form', { name: 'New message' })
  const home = await composer.boundingBox()
  expect(home!.y + home!.height).toBeLessThan(650)
  await expect(input(page)).toHaveAttribute('rows', '2')
  await expect(input(page)).toHaveCSS('min-height', '60px')
  expect((await input(page).boundingBox())!.height).toBeGreaterThanOrEqual(60)
  await writeMessage(page, 'write a long answer')
  await expect(page).toHaveURL(/\/chat\/[^/]+$/)
  await expect(page.getByRole('article').first()).toContainText('write a long answer')
  await expect(stopButton(page)).toBeVisible()
  await expect(lastReply(page).getByRole('heading', { level: 1 })).toBeVisible()
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('newChat_'))),
  ).toEqual([])
  await page.keyboard.press('Escape')
  await expect(lastReply(page)).toContainText('Stopped.')
  await page.reload()
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(lastReply(page)).toContainText('Stopped.')
})

test('the input stays at the bottom while a reply grows, and the page follows its end (§2.25)', async ({
  page,
  user: _,
}) => {
  await startLongReply(page)
  const composer = page.getByRole('form', { name: 'New message' })
  await expect.poll(() => page.evaluate(() => scrollY), { timeout: 20_000 }).toBeGreaterThan(100)
  const distanceToEnd = () =>
    page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY)
  expect(await distanceToEnd()).toBeLessThan(30)
  const box = await composer.boundingBox()
  expect(box!.y + box!.height).toBeGreaterThan(740)
  expect(box!.y + box!.height).toBeLessThanOrEqual(800)

  await page.mouse.move(600, 300)
  await page.mouse.wheel(0, -300)
  const goToEnd = page.getByRole('button', { name: 'Go to the end' })
  await expect(goToEnd).toBeVisible()
  // It stands above the input, in the bar that hides the text behind it.
  const button = await goToEnd.boundingBox()
  const bar = await composer.locator('xpath=ancestor::div[contains(@class, "sticky")]').boundingBox()
  expect(button!.y).toBeGreaterThan(bar!.y)
  expect(button!.y + button!.height).toBeLessThanOrEqual((await composer.boundingBox())!.y)
  const scrolled = await page.evaluate(() => scrollY)
  const length = await shownLength(page)
  await expect.poll(() => shownLength(page)).toBeGreaterThan(length + 100)
  expect(await page.evaluate(() => scrollY)).toBe(scrolled)
  const moved = await composer.boundingBox()
  expect(moved!.y).toBeCloseTo(box!.y, 0)

  await goToEnd.click()
  await expect.poll(distanceToEnd).toBeLessThan(30)
  await expect(goToEnd).toBeHidden()
  await expect(input(page)).toBeFocused()
  await stopButton(page).click()
  await expect(sendButton(page)).toBeVisible()
})

test('a reload during a reply loses nothing, and a second tab shows the same stream', async ({
  page,
  context,
  user: _,
}) => {
  await startLongReply(page)
  const before = await lastReply(page).locator('.markdown').innerText()
  await page.reload()
  await expect(lastReply(page).getByRole('heading', { level: 1 })).toBeVisible()
  const after = await lastReply(page).locator('.markdown').innerText()
  expect(after.startsWith(before.slice(0, before.lastIndexOf(' ')))).toBe(true)
  await expect(stopButton(page)).toBeVisible()
  await expect.poll(() => shownLength(page)).toBeGreaterThan(after.length + 50)

  const second = await context.newPage()
  await second.goto(page.url())
  await expect(stopButton(second)).toBeVisible()
  await stopButton(second).click()
  await expect(lastReply(second)).toContainText('Stopped.')
  await expect(lastReply(page)).toContainText('Stopped.')
  expect(await lastReply(page).locator('.markdown').innerText()).toBe(
    await lastReply(second).locator('.markdown').innerText(),
  )
})

test('when the server is killed, every word that was shown is still there after the restart', async ({
  page,
  product,
  user: _,
  problems,
}) => {
  test.setTimeout(90_000)
  problems.allowOutage()
  await startLongReply(page)
  await product.stop('SIGKILL')
  await expect(page.getByText('The connection was lost. Reconnecting...')).toBeVisible()
  const shown = await lastReply(page).locator('.markdown').innerText()
  await product.start()
  // The process of the run has ended, so the run ends when its lease expires.
  await expect(lastReply(page)).toContainText('Interrupted', { timeout: 40_000 })
  const stored = await lastReply(page).locator('.markdown').innerText()
  expect(stored.startsWith(shown)).toBe(true)
  await page.reload()
  await expect(lastReply(page)).toContainText('Interrupted')
  expect(await lastReply(page).locator('.markdown').innerText()).toBe(stored)
  await writeMessage(page, 'hello again')
  await expect(page.getByRole('article')).toHaveCount(4)
  await expect(sendButton(page)).toBeVisible()
})

test('the reasoning is collapsed above the reply, and a failed reply shows its error (§8.7)', async ({
  page,
  user: _,
}) => {
  await writeMessage(page, 'think first')
  await expect(page).toHaveURL(/\/chat\//)
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(sendButton(page)).toBeVisible()
  await lastReply(page).getByText('Reasoning', { exact: true }).click()
  await expect(lastReply(page)).toContainText('The user wrote')
  await writeMessage(page, 'fail')
  await expect(lastReply(page)).toContainText(/^Error: /)
})

test('a formula in a wrapped line is shown whole on a small screen (§1.3)', async ({ page, user: _ }) => {
  await writeMessage(page, 'some math')
  const parts = lastReply(page).locator('.markdown-inline-formula .katex-base')
  await expect(sendButton(page)).toBeVisible()
  await expect(parts.first()).toBeVisible()
  let wrappedCount = 0
  // The fonts of the machine decide at which widths the line wraps.
  for (const width of [420, 400, 380, 360, 340, 320]) {
    await page.setViewportSize({ width, height: 844 })
    const seen = await parts.evaluateAll((all) =>
      all.map((part) => {
        const { x, y, width, height } = part.getBoundingClientRect()
        return { y, isSeen: part.contains(document.elementFromPoint(x + width / 2, y + height / 2)) }
      }),
    )
    expect(seen.filter(({ isSeen }) => !isSeen)).toEqual([])
    if (Math.max(...seen.map(({ y }) => y)) - Math.min(...seen.map(({ y }) => y)) > 12) wrappedCount += 1
  }
  expect(wrappedCount).toBeGreaterThan(0)
})

test('a message is copied to the clipboard (§2.29)', async ({ page, context, user: _ }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await writeMessage(page, 'copy **this**')
  await expect(sendButton(page)).toBeVisible()
  await page.getByRole('article').first().hover()
  await page.getByRole('article').first().getByTitle('Copy message').click()
  await expect(page.getByTitle('Copied!')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('copy **this**')
  await expect(page.getByTitle('Copied!')).toHaveCount(0, { timeout: 3000 })
})

test('the actions of a message appear on hover and focus', async ({ page, user: _ }) => {
  await writeMessage(page, 'show me what I can do')
  await expect(sendButton(page)).toBeVisible()
  const message = page.getByRole('article').first()
  const actions = message.getByTitle('Copy message').locator('xpath=..')
  await page.mouse.move(0, 0)
  await expect(actions).toHaveCSS('opacity', '0')
  await message.hover()
  await expect(actions).toHaveCSS('opacity', '1')
  await page.mouse.move(0, 0)
  await expect(actions).toHaveCSS('opacity', '0')
  await message.getByTitle('Copy message').focus()
  await expect(actions).toHaveCSS('opacity', '1')
})

test('the actions of a message are always shown on touch screens', async ({ account: user, openDevice }) => {
  const touch = await openDevice(user, '/', { hasTouch: true, isMobile: true })
  await writeMessage(touch, 'show me what I can do')
  await expect(sendButton(touch)).toBeVisible()
  const actions = touch.getByRole('article').first().getByTitle('Copy message').locator('xpath=..')
  await expect(actions).toHaveCSS('opacity', '1')
})

test('a user cannot open the chat of another user', async ({ page, user: _, openAsOther, problems }) => {
  problems.expect(/404/)
  await writeMessage(page, 'a secret of mine')
  await expect(page).toHaveURL(/\/chat\//)
  await expect(sendButton(page)).toBeVisible()
  const other = await openAsOther(page.url())
  await expect(other.getByText('How can I help you today?')).toBeVisible()
  await expect(other.getByText('a secret of mine')).toHaveCount(0)
})

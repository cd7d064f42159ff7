import type { Page } from '@playwright/test'
import type { ScriptedModel } from '../server/testing/models/scripted-model.ts'
import { sendButton, writeMessage } from './support/chat-page.ts'
import { expect, looks, setLook } from './support/fixtures.ts'
import { test } from './support/tools-fixtures.ts'

const banner = (page: Page) =>
  page.getByText('The server could not be reached. You can still read the open page.')
const lastReply = (page: Page) => page.getByRole('article').last()

// The server is stopped and started.
test.describe.configure({ timeout: 90_000 })

async function openChat(page: Page, model: ScriptedModel): Promise<void> {
  model.reply(['Hello.', { finish: 'stop' }])
  await writeMessage(page, 'hello')
  await expect(page).toHaveURL(/\/chat\/[^/]+$/)
  await expect(lastReply(page)).toContainText('Hello.')
  await expect(sendButton(page)).toBeVisible()
}

test('a stopped server is shown within five seconds on a page that requests nothing, and no longer once it runs again', async ({
  page,
  user: _,
  product,
  problems,
}) => {
  problems.allowOutage()
  const live = page.waitForResponse('**/api/live')
  await page.goto('/settings/general')
  await live
  await expect(page.getByText('User Information')).toBeVisible()
  await product.stop()
  await expect(banner(page)).toBeVisible({ timeout: 5000 })
  await product.start()
  await expect(banner(page)).toBeHidden()
})

test('a message that the stopped server did not get is sent when the server is back, once', async ({
  page,
  model,
  product,
  problems,
}) => {
  problems.allowOutage()
  await openChat(page, model)
  await product.stop()
  await expect(banner(page)).toBeVisible()
  await writeMessage(page, 'Are you there?')
  await expect(page.getByText('Not sent. The server could not be reached.')).toBeVisible()
  await expect(page.getByText('It will be sent when the connection is back.')).toBeVisible()
  model.reply(['Yes.', { finish: 'stop' }])
  await product.start()
  await expect(page.getByRole('article')).toHaveCount(4)
  await expect(page.getByText(/^Not sent/)).toHaveCount(0)
  await expect(sendButton(page)).toBeVisible()
  await page.reload()
  await expect(page.getByRole('article', { name: 'You' }).filter({ hasText: 'Are you there?' })).toHaveCount(
    1,
  )
})

test('a message that could not be sent is sent after a reload, once the server is back', async ({
  page,
  model,
  problems,
}) => {
  problems.allowOutage()
  await openChat(page, model)
  await page.route(/completions|healthz/, (route) => route.abort())
  await writeMessage(page, 'Kept over a reload')
  await expect(page.getByText('Not sent. The server could not be reached.')).toBeVisible()
  model.reply(['Sent.', { finish: 'stop' }])
  await page.reload()
  await expect(page.getByText('Not sent. The server could not be reached.')).toBeVisible()
  // A message is sent by itself once per outage, and the reload has just tried it.
  await expect(banner(page)).toBeVisible()
  await page.unroute(/completions|healthz/)
  await expect(page.getByRole('article')).toHaveCount(4)
  await expect(page.getByText(/^Not sent/)).toHaveCount(0)
})

test('a first message of the home page is sent when the server is back, and opens its chat', async ({
  page,
  user: _,
  product,
  problems,
}) => {
  problems.allowOutage()
  await product.stop()
  await writeMessage(page, 'A new chat, please')
  await expect(page.getByText('Not sent. The server could not be reached.')).toBeVisible()
  await expect(banner(page)).toBeVisible()
  await product.start()
  await expect(page).toHaveURL(/\/chat\/[^/]+$/)
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(page.getByText(/^Not sent/)).toHaveCount(0)
})

test('every failure of a stopped server has the same reason, and is gone once its action succeeds', async ({
  page,
  model,
  product,
  problems,
}) => {
  problems.allowOutage()
  problems.expect(/could not be reached/)
  await openChat(page, model)
  await product.stop()
  await expect(banner(page)).toBeVisible()
  await lastReply(page).hover()
  await lastReply(page).getByRole('button', { name: 'Regenerate' }).click()
  const notice = page.getByText('The reply could not be regenerated: The server could not be reached.')
  await expect(notice).toBeVisible()
  await product.start()
  await expect(banner(page)).toBeHidden()
  model.reply(['Once more.'])
  await lastReply(page).hover()
  await lastReply(page).getByRole('button', { name: 'Regenerate' }).click()
  await expect(lastReply(page)).toContainText('Once more.')
  await expect(page.getByText('could not be reached')).toHaveCount(0)
})

test('a bot that is saved while the server is stopped says so, and can be saved when it runs again (§8.15)', async ({
  page,
  user: _,
  product,
  problems,
}) => {
  problems.allowOutage()
  problems.expect(/Failed to save bot/)
  await page.goto('/settings/bots')
  await page.getByRole('button', { name: 'Add Bot' }).click()
  await page.getByLabel('Name *').fill('Late')
  await page.getByLabel('Model *').fill('demo')
  await product.stop()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Failed to save bot: The server could not be reached.')).toBeVisible()
  await expect(page.getByLabel('Name *')).toHaveValue('Late')
  await product.start()
  await expect(banner(page)).toBeHidden()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Bot "Late" added successfully')).toBeVisible()
})

test('the page continues by itself after the settings could not be loaded', async ({ page, problems }) => {
  problems.expect(/ERR_FAILED|settings could not be loaded/)
  await page.route('**/api/settings', (route) => route.abort())
  await page.goto('/')
  await expect(page.getByText('Yonder cannot be reached')).toBeVisible()
  await expect(page.getByText('The server could not be reached.')).toBeVisible()
  await page.unroute('**/api/settings')
  await expect(page.getByText('Sign in to access your chats')).toBeVisible({ timeout: 15_000 })
})

for (const { look, viewport, colorScheme } of looks)
  test(`the page is accessible while the server cannot be reached: ${look}`, async ({
    page,
    model,
    axe,
    problems,
  }) => {
    problems.allowOutage()
    await setLook(page, { viewport, colorScheme })
    await openChat(page, model)
    await page.route(/completions|healthz/, (route) => route.abort())
    await writeMessage(page, 'Are you there?')
    await expect(banner(page)).toBeVisible()
    // The banner is a part of the header, so it covers nothing.
    await expect(page.getByRole('banner').filter({ has: banner(page) })).toBeVisible()
    await axe(page)
  })

for (const { look, viewport, colorScheme } of looks)
  test(`behind a proxy that buffers, the page says that replies appear late, and shows them when they are complete: ${look}`, async ({
    page,
    user: _,
    model,
    axe,
  }) => {
    await setLook(page, { viewport, colorScheme })
    // As such a proxy does: the page receives a response when it has ended.
    await page.route(/\/api\/(?:live|chat\/completions|chat\/[^/]+\/stream)/, async (route) => {
      try {
        await route.fulfill({ response: await route.fetch({ timeout: 0 }) })
      } catch {
        // The page does not wait any longer.
      }
    })
    await page.reload()
    const late = page.getByText(
      'Replies appear late, because a proxy on the way to the server holds them back.',
    )
    await expect(late).toBeVisible()
    model.reply(['Late, ', 'but complete.', { finish: 'stop' }])
    await writeMessage(page, 'hello')
    await expect(lastReply(page)).toContainText('Late, but complete.')
    await expect(sendButton(page)).toBeVisible()
    await expect(late).toBeVisible()
    await axe(page)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.reload()
    await expect(lastReply(page)).toContainText('Late, but complete.')
    await expect(late).toBeHidden()
  })

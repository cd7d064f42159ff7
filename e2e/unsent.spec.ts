import type { Page } from '@playwright/test'
import { input, writeMessage } from './support/chat-page.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { createTestUser, signInQuickly, signUpQuickly } from './support/users.ts'

const newChat = '**/api/chat/id*'
const again = (page: Page) => page.getByRole('button', { name: 'Send again' })

/** Lets the call for a new chat reach the server, and holds its response back until the returned function is called. */
async function holdNewChat(page: Page): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(newChat, async (route) => {
    const response = await route.fetch()
    await released
    await route.fulfill({ response }).catch(() => undefined)
  })
  return release
}

test('a first message is kept over a reload while its chat is slow, and sent into the same chat', async ({
  page,
  user: _,
}) => {
  const release = await holdNewChat(page)
  const reserved = page.waitForRequest(newChat)
  await writeMessage(page, 'Do not lose this')
  await reserved
  await expect(input(page)).toHaveValue('Do not lose this')
  await page.reload()
  release()
  await expect(input(page)).toHaveValue('')
  await expect(page.getByText('Do not lose this', { exact: true })).toBeVisible()
  await expect(page.getByText(/^Not sent\. The (page was closed|server could not be reached)/)).toBeVisible()
  await page.unroute(newChat)
  await again(page).click()
  await expect(page).toHaveURL(/\/chat\//)
  await expect(page.getByRole('article').first()).toContainText('Do not lose this')
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog').getByRole('link')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Yonder' }).click()
  await expect(page.getByText('How can I help you today?')).toBeVisible()
  await expect(page.getByText(/^Not sent/)).toHaveCount(0)
})

test('a user who leaves the home page while its chat is slow stays where they are', async ({
  page,
  user: _,
}) => {
  const release = await holdNewChat(page)
  await writeMessage(page, 'Written in a hurry')
  const response = page.waitForResponse(newChat)
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await expect(page).toHaveURL(/\/settings\//)
  release()
  await response
  await page.getByRole('link', { name: 'Yonder' }).click()
  await expect(page.getByText('Written in a hurry', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await expect(input(page)).toHaveValue('Written in a hurry')
})

test('two tabs show a message that was not sent, and only one of them sends it', async ({
  page,
  context,
  user: _,
  problems,
}) => {
  problems.expect(/ERR_FAILED|Error creating chat with message/)
  await page.route(newChat, (route) => route.abort())
  await writeMessage(page, 'Once only')
  await expect(page.getByText('Not sent. The server could not be reached.')).toBeVisible()
  const other = await context.newPage()
  await other.goto('/')
  await expect(other.getByText('Once only', { exact: true })).toBeVisible()
  await page.unroute(newChat)
  const release = await holdNewChat(page)
  await again(page).click()
  await expect(other.getByText('Once only', { exact: true })).toHaveCount(0)
  release()
  await expect(page).toHaveURL(/\/chat\//)
  await expect(other.getByText('Once only', { exact: true })).toHaveCount(0)
  await expect(page.getByRole('article')).toHaveCount(2)
})

test('a message that was refused with 401 is there after signing in again, and not for another user', async ({
  page,
  account,
  product,
  problems,
}) => {
  problems.expect(/401/)
  await page.goto('/')
  await page.route(newChat, (route) => route.fulfill({ status: 401, json: {} }))
  await writeMessage(page, 'Only for me')
  await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  await page.unroute(newChat)
  await signInQuickly(page, product.url, account)
  await page.goto('/')
  await expect(page.getByText('Only for me', { exact: true })).toBeVisible()
  await expect(page.getByText('Not sent. You were signed out before the message was sent.')).toBeVisible()
  await signUpQuickly(page, product.url, createTestUser())
  await page.goto('/')
  await expect(page.getByText('How can I help you today?')).toBeVisible()
  await expect(page.getByText('Only for me', { exact: true })).toHaveCount(0)
})

for (const { look, viewport, colorScheme } of looks)
  test(`messages that were not sent are accessible on the home page: ${look}`, async ({
    page,
    user: _,
    axe,
    problems,
  }) => {
    problems.expect(/ERR_FAILED|Error creating chat with message/)
    await setLook(page, { viewport, colorScheme })
    await page.route(newChat, (route) => route.abort())
    await writeMessage(
      page,
      'A first message that is a little longer, so that its block has two lines on a phone.',
    )
    await expect(again(page)).toBeVisible()
    await axe(page)
  })

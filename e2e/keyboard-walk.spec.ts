import type { Locator, Page } from '@playwright/test'
import { startScriptedModel } from '../server/testing/models/scripted-model.ts'
import { input, sendButton, stopButton } from './support/chat-page.ts'
import { expect, test } from './support/fixtures.ts'
import { callApi } from './support/tools-fixtures.ts'
import { createTestUser } from './support/users.ts'

/** No screen of this walk has more stops between two of its controls. */
const maxStops = 40

/** Presses Tab until the control has the focus. Fails when the focus is lost or the control is not reached. */
async function tabTo(page: Page, control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(control).toBeVisible()
  for (let stop = 0; stop < maxStops; stop += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`The control is not reached with ${key}: ${control.toString()}`)
}

async function activate(page: Page, control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await tabTo(page, control, key)
  await page.keyboard.press('Enter')
}

/** The text of a reply, which is also announced to screen readers. */
const reply = (page: Page, text: string) => page.getByRole('article').getByText(text, { exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('a user signs up, chats, searches and signs out with the keyboard alone', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const user = createTestUser()
  const model = await startScriptedModel()

  await test.step('sign up', async () => {
    await page.goto('/')
    await activate(page, button(page, 'Sign in with a local account'))
    await page.waitForURL(/\/oidc\//)
    await activate(page, page.getByRole('link', { name: /create an account/i }))
    for (const [field, text] of [
      ['name', user.name],
      ['email', user.email],
      ['password', user.password],
    ] as const) {
      await tabTo(page, page.locator(`input[name="${field}"]`))
      await page.keyboard.type(text)
    }
    await page.keyboard.press('Enter')
    await expect(page.getByText(`Welcome, ${user.name}.`)).toBeVisible()
  })

  await callApi(page, 'DELETE', '/api/bot/Yonder%20Demo')
  await callApi(page, 'POST', '/api/bot', { name: 'Scripted', model: 'scripted', base_url: model.baseUrl })
  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)

  await test.step('send and stop', async () => {
    await expect(input(page)).toBeFocused()
    const gate = model.gate()
    model.reply(['It begins', gate, ' and ends.'])
    await page.keyboard.type('First question')
    await page.keyboard.press('Enter')
    await expect(reply(page, 'It begins')).toBeVisible()
    await expect(input(page)).toBeFocused()
    await expect(stopButton(page)).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(sendButton(page)).toBeVisible()
    gate.open()
  })

  await test.step('regenerate', async () => {
    model.reply(['Again, and whole.'])
    await activate(page, button(page, 'Regenerate'), 'Shift+Tab')
    await expect(reply(page, 'Again, and whole.')).toBeVisible()
    await expect(sendButton(page)).toBeVisible()
    await expect(page.locator('body')).not.toBeFocused()
  })

  await test.step('choose an earlier version', async () => {
    await activate(page, button(page, 'Previous version'), 'Shift+Tab')
    await expect(reply(page, 'It begins')).toBeVisible()
    await activate(page, button(page, 'Next version'))
    await expect(reply(page, 'Again, and whole.')).toBeVisible()
  })

  await test.step('edit the message', async () => {
    model.reply(['To the second.'])
    await activate(page, button(page, 'Edit message'), 'Shift+Tab')
    const editor = page.getByRole('form', { name: 'Edit message' }).getByRole('textbox')
    await expect(editor).toBeFocused()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Second question')
    await page.keyboard.press('Enter')
    await expect(reply(page, 'To the second.')).toBeVisible()
    await expect(sendButton(page)).toBeVisible()
    await expect(page.locator('body')).not.toBeFocused()
  })

  await test.step('share', async () => {
    await page.keyboard.press('Shift+Escape')
    await expect(input(page)).toBeFocused()
    await activate(page, button(page, 'Share').last(), 'Shift+Tab')
    await expect(page.getByText('Copied to clipboard!')).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/share/')
  })

  await test.step('start a new chat, and find the first one', async () => {
    const chat = page.url()
    await page.keyboard.press('ControlOrMeta+Shift+o')
    await expect(page.getByText(`Welcome, ${user.name}.`)).toBeVisible()
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('second')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog').locator('mark').first()).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    // It opens at the passage, which the address names.
    await expect(page).toHaveURL(({ href }) => href.startsWith(chat))
    await expect(reply(page, 'To the second.')).toBeVisible()
  })

  await test.step('sign out', async () => {
    await tabTo(page, button(page, 'Account'))
    await page.keyboard.press('Enter')
    await page.keyboard.press('End')
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  })
  await model.close()
})

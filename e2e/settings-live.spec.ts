import type { Page } from '@playwright/test'
import { openTab, sendButton, writeMessage } from './support/chat-page.ts'
import { expect, test } from './support/fixtures.ts'

const bots = (page: Page) => page.getByRole('combobox', { name: 'Bot' })

async function addBot(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add Bot' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add New Bot' })
  await dialog.getByLabel('Name *').fill(name)
  await dialog.getByLabel('Model *').fill('demo')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
}

test('changes to bots in one tab appear in the other tabs, in the selection and in the list (§2.23)', async ({
  page,
  account: user,
  context,
  openDevice,
}) => {
  await page.goto('/settings/bots')
  const home = await openTab(context, '/')
  await expect(bots(home)).toHaveText('Yonder Demo (demo)')
  const device = await openDevice(user, '/settings/bots')
  await expect(device.getByRole('listitem').filter({ hasText: 'Yonder Demo' })).toBeVisible()

  await addBot(page, 'Owl')
  await expect(bots(home).getByRole('option', { name: 'Owl (demo)' })).toBeAttached()
  await expect(device.getByRole('listitem').filter({ hasText: 'Owl' })).toBeVisible()

  await bots(home).selectOption('Owl')
  await page.getByRole('listitem').filter({ hasText: 'Owl' }).getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Name *').fill('Eagle')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  // It is still selected.
  await expect(bots(home)).toHaveValue('Eagle')
  await expect(device.getByRole('listitem').filter({ hasText: 'Eagle' })).toBeVisible()
  await expect(device.getByRole('listitem').filter({ hasText: 'Owl' })).toBeHidden()
})

test('a connector that is connected in one tab is connected in the other (§2.58)', async ({
  page,
  account: _,
  context,
}) => {
  await page.goto('/settings/connectors')
  const other = await context.newPage()
  await other.goto('/settings/connectors')
  const row = (tab: Page) => tab.getByRole('listitem').filter({ hasText: 'default' })
  await expect(row(other).getByText('Connected', { exact: true })).toBeVisible()
  await row(page).getByRole('button', { name: 'Disconnect' }).click()
  await expect(row(other).getByText('Disconnected', { exact: true })).toBeVisible()
  await row(other).getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(row(page).getByText('Connected', { exact: true })).toBeVisible()
})

test('a user renames the bot of an open chat in another tab: the chat and its next message keep the bot (§2.23)', async ({
  page,
  account: _,
  context,
}) => {
  await page.goto('/settings/bots')
  await addBot(page, 'Owl')
  const chat = await openTab(context, '/')
  await bots(chat).selectOption('Owl')
  await writeMessage(chat, 'Hello')
  await expect(chat).toHaveURL(/\/chat\/[^/]+$/)
  const replies = chat.getByRole('article')
  await expect(replies.last()).toHaveAccessibleName('Owl')
  await expect(sendButton(chat)).toBeVisible()

  await page.getByRole('listitem').filter({ hasText: 'Owl' }).getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Name *').fill('Eagle')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(replies.last()).toHaveAccessibleName('Eagle')
  await expect(bots(chat)).toHaveValue('Eagle')
  await writeMessage(chat, 'Are you still there?')
  await expect(replies).toHaveCount(4)
  await expect(replies.last()).toHaveAccessibleName('Eagle')
})

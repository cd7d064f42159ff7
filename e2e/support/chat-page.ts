import type { BrowserContext, Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Writes a message and sends it with Enter. */
export async function writeMessage(page: Page, text: string): Promise<void> {
  // The list of bots may still be loading, and nothing is sent before a bot is selected.
  await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)
  await input(page).fill(text)
  await input(page).press('Enter')
}

export const input = (page: Page) => page.getByPlaceholder('Type your message...')
export const sendButton = (page: Page) => page.getByRole('button', { name: 'Send message' })
export const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true })

export async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(url)
  return tab
}

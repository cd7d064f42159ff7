import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** Writes a message and sends it with Enter. */
export async function writeMessage(page: Page, text: string): Promise<void> {
  // Without a bot nothing is sent, and the list of bots may still be on its way.
  await expect(page.getByRole('combobox', { name: 'Bot' })).toHaveValue(/./)
  const input = page.getByPlaceholder('Type your message...')
  await input.fill(text)
  await input.press('Enter')
}

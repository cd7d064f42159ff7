import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'

/** Messages fade in where they are, and again where a dialog takes them: half faded, they have half their contrast. */
export async function dismissMessages(page: Page): Promise<void> {
  const messages = page.getByRole('button', { name: 'Dismiss' })
  // One may leave by itself just before it is clicked.
  await expect(async () => {
    while ((await messages.count()) > 0) await messages.first().click({ timeout: 1000 })
  }).toPass()
  // What lies beneath them is looked at without the pointer on it.
  await page.mouse.move(0, 0)
}

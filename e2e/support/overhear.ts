import type { Page } from '@playwright/test'

/** The texts of all that the server answers from now on at `path`, in their order. */
export async function overhear(page: Page, path: string): Promise<readonly string[]> {
  const answers: string[] = []
  // Held until it is read: a page that moves on takes the bodies of its answers with it.
  await page.route(`**${path}`, async (route) => {
    const response = await route.fetch()
    answers.push(await response.text())
    await route.fulfill({ response })
  })
  return answers
}

import { expect, looks, test } from './support/fixtures.ts'
import { signIn, signUp } from './support/users.ts'

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test('the sign-in screen describes the product, a new user creates an account and is welcomed, and both screens are accessible (§2.13, §2.19)', async ({
      page,
      axe,
    }) => {
      await page.goto('/')
      await expect(page.getByText('Sign in to access your chats')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Sign in with Google' })).toBeVisible()
      await axe(page)
      const { name } = await signUp(page)
      await expect(page.getByText(`Welcome, ${name}.`)).toBeVisible()
      await expect(page.getByText('How can I help you today?')).toBeVisible()
      await axe(page)
    })
  })
}

test('the same user signs in from another browser', async ({ user, openBrowser }) => {
  const other = await openBrowser()
  await signIn(await other.newPage(), user)
})

test('any path shows the sign-in screen to a visitor (§2.2, §2.4, §2.5)', async ({ page }) => {
  for (const path of ['/chat/whatever', '/settings', '/settings/bots']) {
    await page.goto(path)
    await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  }
})

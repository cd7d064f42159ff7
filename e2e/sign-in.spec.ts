import { expect, looks, test } from './support/fixtures.ts'
import { signIn, signUp } from './support/sign-up.ts'

for (const { look, viewport, colorScheme } of looks) {
  test.describe(look, () => {
    test.use({ viewport, colorScheme })

    test('the sign-in screen says what it is and can be used by everyone (§2.13)', async ({ page, axe }) => {
      await page.goto('/')
      await expect(page.getByText('Sign in to access your chats')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Sign in with Google' })).toBeVisible()
      await axe(page)
    })

    test('a newcomer makes an account and is greeted (§2.19)', async ({ page, axe }) => {
      const { name } = await signUp(page)
      await expect(page.getByText(`Welcome, ${name}.`)).toBeVisible()
      await expect(page.getByText('How can I help you today?')).toBeVisible()
      await axe(page)
    })
  })
}

test('the same person signs in from another browser', async ({ person, openBrowser }) => {
  const other = await openBrowser()
  await signIn(await other.newPage(), person)
})

test('any path shows the sign-in screen to a stranger (§2.2, §2.4, §2.5)', async ({ page }) => {
  for (const path of ['/chat/whatever', '/settings', '/settings/bots']) {
    await page.goto(path)
    await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  }
})

import type { Page } from '@playwright/test'
import { input, openTab } from './support/chat-page.ts'
import { writeChats } from './support/database-rows.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { signUp } from './support/users.ts'

const dialog = (page: Page) => page.getByRole('alertdialog', { name: 'Delete Account' })
const deleted = (page: Page) => page.getByText('Your account is deleted.')

/** Replaces the ID token of the signed-in browser by one that says nothing, or another time. */
function forgetSignInTime(page: Page, claims = {}): Promise<void> {
  return page.evaluate((payload) => {
    const key = Object.keys(localStorage).find((name) => name.startsWith('yonder.sign-in:')) ?? ''
    const session = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, unknown>
    localStorage.setItem(key, JSON.stringify({ ...session, idToken: `e30.${btoa(payload)}.e30` }))
  }, JSON.stringify(claims))
}

/** What is left in the browser, apart from the theme and the mark that the last user has left. */
async function listLeft(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases()
    const caught = await caches.keys()
    return [...Object.keys(localStorage), ...databases.map(({ name }) => name ?? ''), ...caught].filter(
      (key) => !['theme', 'chat_storage_owner'].includes(key),
    )
  })
}

test.describe('where users may delete', () => {
  test.use({ installation: 'self-service' })

  for (const { look, ...window } of looks)
    test(`a user signs in again, deletes the account with the keyboard alone, and begins empty: ${look}`, async ({
      page,
      context,
      user,
      product,
      problems,
      axe,
    }) => {
      // The page may ask for something while it is being left.
      problems.allow(/401 \(Unauthorized\)/)
      await writeChats(product.dataDir, user.email, [
        { id: `a-${user.email}`, title: 'Sourdough', updated_at: Date.now() },
        { id: `b-${user.email}`, title: 'Heat pumps', updated_at: Date.now() },
      ])
      await forgetSignInTime(page)
      const other = await openTab(context, '/')
      await input(other).fill('A draft that nobody else may read')
      // As after a file was attached.
      await other.evaluate(() => {
        const opening = indexedDB.open('yonder_files')
        opening.addEventListener('success', () => opening.result.close())
      })
      await page.goto('/settings/data')
      await setLook(page, window)
      await expect(page.getByRole('button', { name: 'Delete...' })).toBeVisible()
      await axe(page)
      await expectNoSidewaysScroll(page)

      await page.getByRole('button', { name: 'Delete...' }).focus()
      await page.keyboard.press('Enter')
      await expect(dialog(page)).toContainText('2 chats')
      await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
      await axe(page)
      await page.keyboard.press('Tab')
      await expect(page.getByRole('button', { name: 'Sign in again to go on' })).toBeFocused()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/oidc\//)
      await expect(page.locator('input[name="email"]')).toHaveValue(user.email)
      await page.locator('input[name="password"]').focus()
      await page.keyboard.type(user.password)
      await page.keyboard.press('Enter')

      const box = page.getByRole('textbox', { name: `Type ${user.email} to delete the account` })
      await expect(box).toBeFocused()
      expect(new URL(page.url()).pathname).toBe('/settings/data')
      await axe(page)
      await page.keyboard.type('grace@example.com')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeDisabled()
      await expectNoSidewaysScroll(page)
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(user.email.toUpperCase())
      await page.keyboard.press('Enter')

      await expect(deleted(page)).toBeVisible()
      await axe(page)
      await expect(other.getByText('Sign in to access your chats')).toBeVisible()
      for (const tab of [page, other]) await expect.poll(() => listLeft(tab)).toEqual([])
      await signUp(page, user)
      await expect(input(page)).toHaveValue('')
      await expect(page.getByText('Sourdough')).toHaveCount(0)
      await expect(deleted(page)).toHaveCount(0)
    })

  test('a sign-in that the server finds too old leads to the sign-in page, and going back deletes nothing', async ({
    page,
    user,
    problems,
  }) => {
    problems.expect(/403 \(Forbidden\)/)
    problems.expect(/The account could not be deleted/)
    await forgetSignInTime(page, { auth_time: Date.now() / 1000 })
    await page.goto('/settings/data')
    await page.getByRole('button', { name: 'Delete...' }).click()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('textbox').fill(user.email)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(dialog(page)).toContainText('Your sign-in is older than 15 minutes. Sign in again.')
    await page.getByRole('button', { name: 'Sign in again to go on' }).click()
    await page.waitForURL(/\/oidc\//)
    await page.goBack()
    await expect(page.getByRole('button', { name: 'Delete...', includeHidden: true })).toBeVisible()
    await page.goto('/')
    await expect(page.getByText(`Welcome, ${user.name}.`)).toBeVisible()
  })

  test('another user who signs in instead deletes nothing', async ({ page, user, openAsOther }) => {
    await forgetSignInTime(page)
    await page.goto('/settings/data')
    // The page that has just opened would read it too.
    await expect(page.getByRole('button', { name: 'Delete...' })).toBeVisible()
    await page.evaluate(() => sessionStorage.setItem('account_deletion', 'another user'))
    await page.reload()
    await expect(page.getByText('You have signed in as another user. Nothing was deleted.')).toBeVisible()
    await expect(dialog(page)).toHaveCount(0)
    const other = await openAsOther('/settings/data')
    await other.getByRole('button', { name: 'Delete...' }).click()
    await other.getByRole('button', { name: 'Go on' }).click()
    await other.getByRole('textbox').fill(user.email)
    await expect(other.getByRole('button', { name: 'Delete', exact: true })).toBeDisabled()
  })
})

test('where users may not delete, the settings offer nothing of it', async ({ page, user: _user }) => {
  await page.goto('/settings/data')
  await expect(page.getByRole('heading', { name: 'Import' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete...' })).toHaveCount(0)
})

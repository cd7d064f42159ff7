import { randomBytes } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { SignInSession, type Tokens } from '../../server/testing/identity/sign-in-session.ts'

export interface TestUser {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** Returns a user with a new e-mail address, without an account. */
export function createTestUser(name = 'Ada Example'): TestUser {
  const id = randomBytes(6).toString('hex')
  return { name, email: `${id}@example.com`, password: `correct horse ${id}` }
}

/** Creates an account on the embedded sign-in page and ends on the signed-in home page. */
export async function signUp(page: Page, user: TestUser = createTestUser()): Promise<TestUser> {
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign in with a local account' }).click()
  await page.waitForURL(/\/oidc\//)
  const nameField = page.locator('input[name="name"]')
  if (!(await nameField.isVisible()))
    await page.getByRole('link', { name: /create|sign up|new account/i }).click()
  await nameField.fill(user.name)
  await page.locator('input[name="email"]').fill(user.email)
  await page.locator('input[name="password"]').fill(user.password)
  await page.getByRole('button', { name: /create|sign up/i }).click()
  await expect(page.getByText(`Welcome, ${user.name}.`)).toBeVisible()
  return user
}

/** Signs in with an existing account and ends on the signed-in home page. */
export async function signIn(page: Page, user: TestUser): Promise<void> {
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign in with a local account' }).click()
  await page.waitForURL(/\/oidc\//)
  await page.locator('input[name="email"]').fill(user.email)
  await page.locator('input[name="password"]').fill(user.password)
  await page.locator('button[type="submit"]').first().click()
  await expect(page.getByText(`Welcome, ${user.name}.`)).toBeVisible()
}

/**
 * Creates an account and signs in without the sign-in pages, which have tests of their own. The page is then empty, and
 * the browser storage has the same content as after a sign-in.
 */
export async function signUpQuickly(page: Page, baseUrl: string, user: TestUser): Promise<void> {
  await storeSession(page, baseUrl, user, await new SignInSession(baseUrl).join(user))
}

/** Signs in with an existing account without the sign-in pages. The page is then empty. */
export async function signInQuickly(page: Page, baseUrl: string, user: TestUser): Promise<void> {
  const session = new SignInSession(baseUrl)
  const response = await session.redeem(await session.signIn(user))
  await storeSession(page, baseUrl, user, (await response.json()) as Tokens)
}

async function storeSession(
  page: Page,
  baseUrl: string,
  { name, email }: TestUser,
  { access_token, refresh_token, id_token, expires_in }: Tokens,
): Promise<void> {
  const claims = JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()) as {
    readonly sub: string
  }
  const session = {
    accessToken: access_token,
    refreshToken: refresh_token,
    idToken: id_token,
    expiresAt: Date.now() + expires_in * 1000,
    user: { sub: claims.sub, name, email, picture: null },
  }
  // A page of the same origin that runs no scripts.
  await page.goto(`${baseUrl}/robots.txt`)
  await page.evaluate(
    ([key, value]) => {
      localStorage.setItem(key, value)
      // As of someone who has closed the list of chats, which repeats the first words of the open chat.
      localStorage.setItem('chat_list_wide', 'closed')
    },
    [`yonder.sign-in:${baseUrl}/oidc:yonder`, JSON.stringify(session)] as const,
  )
}

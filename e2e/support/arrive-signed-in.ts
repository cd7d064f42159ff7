import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import { SignInSession } from '../../server/testing/identity/sign-in-session.ts'
import type { Person } from './sign-up.ts'

/**
 * Makes an account without the sign-in pages, which have tests of their own, and ends on the signed-in home page as
 * `signUp` does: the browser holds what it would hold after signing in.
 */
export async function arriveSignedIn(page: Page, baseUrl: string, person: Person): Promise<Person> {
  const { access_token, refresh_token, id_token, expires_in } = await new SignInSession(baseUrl).join(person)
  const claims = JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()) as {
    readonly sub: string
  }
  const session = {
    accessToken: access_token,
    refreshToken: refresh_token,
    idToken: id_token,
    expiresAt: Date.now() + expires_in * 1000,
    user: { sub: claims.sub, name: person.name, email: person.email, picture: null },
  }
  await page.goto('/robots.txt')
  await page.evaluate(([key, value]) => localStorage.setItem(key, value), [
    `yonder.sign-in:${baseUrl}/oidc:yonder`,
    JSON.stringify(session),
  ] as const)
  await page.goto('/')
  await expect(page.getByText(`Welcome, ${person.name}.`)).toBeVisible()
  return person
}

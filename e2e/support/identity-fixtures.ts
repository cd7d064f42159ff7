import type { Page } from '@playwright/test'
import type { HostileIdentityProvider } from '../../server/testing/identity/hostile-identity-provider.ts'
import type { IdentityServer } from '../../server/testing/identity/identity-server.ts'
import { test as base } from './fixtures.ts'

/** Tests of the page that can only sign in and out, under the product's own headers. */
export const test = base.extend<{
  /** The hosted provider, without faults at the start of every test. */
  readonly provider: HostileIdentityProvider
}>({
  provider: async ({ sharedProvider }, use) => {
    sharedProvider.faults = {}
    sharedProvider.forget()
    await use(sharedProvider)
  },
})

export { expect } from '@playwright/test'

/** Signs in with the hosted provider, which redirects back without showing a page. */
export async function signInHosted(page: Page, server: IdentityServer, path = '/'): Promise<void> {
  await page.goto(server.baseUrl + path)
  await page.getByRole('button', { name: 'Sign in with Google' }).click()
}

/** Returns all entries of the local and session storage. */
export async function readStorage(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() =>
    Object.fromEntries([...Object.entries(localStorage), ...Object.entries(sessionStorage)] as [
      string,
      string,
    ][]),
  )
}

/** Changes fields of the stored session. */
export async function changeSession(page: Page, changes: Readonly<Record<string, unknown>>): Promise<void> {
  await page.evaluate((changes) => {
    const key = Object.keys(localStorage).find((name) => name.startsWith('yonder.sign-in:'))
    if (key === undefined) throw new Error('There is no session.')
    const session = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, unknown>
    localStorage.setItem(key, JSON.stringify({ ...session, ...changes }))
  }, changes)
}

/** Requests an access token in the page, and returns it, or the message of the error and the name of its cause. */
export async function requestToken(page: Page): Promise<{ token?: string; error?: string; cause?: string }> {
  return page.evaluate(async () => {
    const { identity } = window as unknown as { identity: { getAccessToken(): Promise<string> } }
    try {
      return { token: await identity.getAccessToken() }
    } catch (error) {
      const { message, cause } = error as Error
      return { error: message, cause: (cause as Error).name }
    }
  })
}

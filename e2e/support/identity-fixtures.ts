import { test as base } from '@playwright/test'
import type { Page } from '@playwright/test'
import { openHostileProvider } from '../../server/testing/models/hostile-provider.ts'
import type { HostileProvider } from '../../server/testing/models/hostile-provider.ts'
import { openIdentityServer } from '../../server/testing/identity/identity-server.ts'
import type { IdentityServer } from '../../server/testing/identity/identity-server.ts'
import { openTestDatabase } from '../../server/testing/database/test-database.ts'
import { buildIdentityPage } from './identity-page.ts'
import type { IdentityPage } from './identity-page.ts'
import { createProblems } from './watch-problems.ts'
import type { Problems } from './watch-problems.ts'

interface TestFixtures {
  /** Behaves well at the start of every test. */
  readonly provider: HostileProvider
  readonly problems: Problems
}

interface WorkerFixtures {
  readonly builtPage: IdentityPage
  readonly sharedProvider: HostileProvider
  /** Signs in with the hostile provider. */
  readonly hosted: IdentityServer
  /** Signs in with the provider of its own. */
  readonly embedded: IdentityServer
}

/** The page that can do nothing but sign in and out, under the product's own headers. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  builtPage: [async ({}, use) => use(await buildIdentityPage()), { scope: 'worker' }],
  sharedProvider: [
    async ({}, use) => {
      const provider = await openHostileProvider()
      await use(provider)
      await provider.close()
    },
    { scope: 'worker' },
  ],
  hosted: [
    async ({ builtPage, sharedProvider }, use) => {
      const { issuer, clientId, audience } = sharedProvider
      const environment = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_AUDIENCE: audience }
      await serve(builtPage, environment, use)
    },
    { scope: 'worker' },
  ],
  embedded: [async ({ builtPage }, use) => serve(builtPage, {}, use), { scope: 'worker' }],
  provider: async ({ sharedProvider }, use) => {
    sharedProvider.faults = {}
    sharedProvider.forget()
    await use(sharedProvider)
  },
  problems: [
    async ({ context }, use, testInfo) => {
      const problems = createProblems()
      await problems.watch(context)
      await use(problems)
      if (testInfo.errors.length === 0) problems.check()
    },
    { auto: true },
  ],
})

export { expect } from '@playwright/test'

async function serve(
  page: IdentityPage,
  environment: Readonly<Record<string, string>>,
  use: (server: IdentityServer) => Promise<void>,
): Promise<void> {
  const database = await openTestDatabase('sqlite')
  const server = await openIdentityServer({
    database,
    environment,
    extend: (app) =>
      app.setNotFoundHandler((request, reply) => {
        const { body, type } = page.find(request.url.split('?')[0] ?? '/')
        return reply.type(type).send(body)
      }),
  })
  await use(server)
  await server.close()
  await database.close()
}

/** Signs in with the hostile provider, which asks nothing. */
export async function signInHosted(page: Page, server: IdentityServer, path = '/'): Promise<void> {
  await page.goto(server.baseUrl + path)
  await page.getByRole('button', { name: 'Sign in with Google' }).click()
}

/** Everything that the two storages of a page hold. */
export async function readStorage(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() =>
    Object.fromEntries([...Object.entries(localStorage), ...Object.entries(sessionStorage)] as [
      string,
      string,
    ][]),
  )
}

/** Changes the stored session, as time or another version would. */
export async function changeSession(page: Page, changes: Readonly<Record<string, unknown>>): Promise<void> {
  await page.evaluate((changes) => {
    const key = Object.keys(localStorage).find((name) => name.startsWith('yonder.sign-in:'))
    if (key === undefined) throw new Error('There is no session.')
    const session = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, unknown>
    localStorage.setItem(key, JSON.stringify({ ...session, ...changes }))
  }, changes)
}

/** Asks the page for an access token; answers it, or the names of the errors. */
export async function askToken(page: Page): Promise<{ token?: string; error?: string; cause?: string }> {
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

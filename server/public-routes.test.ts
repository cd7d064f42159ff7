import type { RouteOptions } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseConfig } from './config/config.ts'
import { createSealer } from './db/secrets/seal-secret.ts'
import { createPasswordHasher } from './identity/accounts/hash-password.ts'
import { openIdentity } from './identity/open-identity.ts'
import { openTestDatabase, type TestDatabase } from './testing/database/test-database.ts'
import { testSecret } from './testing/identity/identity-server.ts'
import { openTestApp, type TestApp } from './testing/test-app.ts'

/**
 * The routes that need no sign-in. A new one belongs here and into the table of SECURITY.md, with what limits it. These
 * have a limit per IP address, which a header of the response shows.
 */
const limited = [
  'GET /api/connector-oauth/callback',
  'GET /api/diagnosis/*',
  'GET /api/exports/:id/file',
  'GET /api/share/:id',
  'GET /api/share/:id/files/:fileId',
  'GET /oidc/federated/callback',
  'GET /oidc/interaction/:uid',
  'GET /oidc/interaction/:uid/federated',
  'GET /oidc/interaction/:uid/google',
  'GET /oidc/interaction/:uid/new-account',
  'GET /oidc/invitation',
  'GET /oidc/reset-password',
  'GET /oidc/set-up',
  'POST /api/sign-in-failures',
  'POST /oidc/interaction/:uid',
  'POST /oidc/interaction/:uid/new-account',
  'POST /oidc/invitation',
  'POST /oidc/reset-password',
  'POST /oidc/set-up',
  '* /oidc/*',
]
/** These store nothing and compute nothing that depends on the request. */
const fixed = ['GET /api/settings']

let database: TestDatabase
let product: TestApp
const routes: RouteOptions[] = []

beforeAll(async () => {
  database = await openTestDatabase('sqlite')
  const config = parseConfig({ LOG_LEVEL: 'silent', GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' })
  const deps = {
    config,
    database,
    sealer: createSealer(testSecret),
    now: Date.now,
    passwords: createPasswordHasher(),
  }
  const identity = await openIdentity(deps, {
    guard: { fetch: globalThis.fetch },
    onNewUser: () => Promise.resolve(),
  })
  product = await openTestApp({
    database,
    deps: {
      identity: {
        ...identity,
        async register(app) {
          app.addHook('onRoute', (route) => void routes.push(route))
          await identity.register(app)
        },
      },
    },
  })
})
afterAll(async () => {
  await product.close()
  await product.deps.identity.close()
  await database.close()
})

it('requires a sign-in on every route except the listed ones, which have a limit', async () => {
  const found: { readonly name: string; readonly isLimited: boolean }[] = []
  for (const { method, url } of routes) {
    const methods = [method].flat()
    const first = methods[0] ?? 'GET'
    const { statusCode, headers } = await product.app.inject({
      method: (['POST', 'PUT', 'PATCH', 'DELETE'] as const).find((each) => each === first) ?? 'GET',
      url: `${url.replaceAll(/:\w+|\*/g, 'x')}?state=x`,
      headers: { host: 'localhost:3000' },
    })
    if (statusCode === 401) continue
    found.push({
      name: `${methods.length > 4 ? '*' : methods.join()} ${url}`,
      isLimited: headers['x-ratelimit-limit'] !== undefined,
    })
  }
  const namesOf = (isLimited: boolean) =>
    found.flatMap((route) => (route.isLimited === isLimited ? [route.name] : [])).sort()
  expect(namesOf(true)).toEqual(limited.toSorted())
  expect(namesOf(false)).toEqual(fixed)
})

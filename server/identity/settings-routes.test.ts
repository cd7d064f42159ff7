import { expect, it } from 'vitest'
import { openTestDatabase } from '../testing/database/test-database.ts'
import { openIdentityServer } from '../testing/identity/identity-server.ts'

it('returns the settings for the sign-in without a token, and no secret', async () => {
  const database = await openTestDatabase('sqlite')
  const server = await openIdentityServer({
    database,
    environment: {
      GOOGLE_CLIENT_ID: 'google-id',
      GOOGLE_CLIENT_SECRET: 'google-secret',
      SOURCE_URL: 'https://code.example/yonder',
    },
  })
  const response = await fetch(`${server.baseUrl}/api/settings`)
  const text = await response.text()
  await server.close()
  await database.close()
  expect(response.status).toBe(200)
  expect(JSON.parse(text)).toEqual({
    identity: {
      issuer: `${server.baseUrl}/oidc`,
      clientId: 'yonder',
      audience: `${server.baseUrl}/api`,
      googleParams: { connection: 'google-oauth2' },
      embedded: true,
    },
    sourceUrl: 'https://code.example/yonder',
    demoShareId: 'demo',
  })
  expect(text).not.toContain('google-secret')
})

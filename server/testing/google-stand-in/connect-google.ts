import type { Integration } from '@yonder/contract/integration'
import { serviceOfIntegration, type GoogleIntegration } from '@yonder/contract/integration-names'
import type { TestClient } from '../test-app.ts'

/** The return of a browser from Google's consent page. */
export interface ReturnFromGoogle {
  readonly path: string
  readonly code: string | null
  readonly state: string | null
  readonly error: string | null
}

/** Visits the consent page as a user. The stand-in redirects back at once. */
export async function visitGoogle(client: TestClient, name: GoogleIntegration): Promise<ReturnFromGoogle> {
  const response = await client.get(`/api/integration/auth/${name}`)
  if (response.statusCode !== 200) throw new Error(response.body)
  const { authUrl } = response.json<{ authUrl: string }>()
  const redirect = await fetch(authUrl, { redirect: 'manual' })
  const { pathname, searchParams } = new URL(redirect.headers.get('location') ?? '')
  const [code, state, error] = ['code', 'state', 'error'].map((name) => searchParams.get(name))
  return { path: pathname, code: code ?? null, state: state ?? null, error: error ?? null }
}

/** Adds an integration at Google for a user, and connects it. */
export async function connectGoogle(client: TestClient, name: GoogleIntegration): Promise<Integration> {
  await client.post('/api/integration', { name, auth_type: 'oauth' })
  const { code, state } = await visitGoogle(client, name)
  const response = await client.post(`/api/integration/callback/${serviceOfIntegration(name)}`, {
    code,
    state,
  })
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json<Integration>()
}

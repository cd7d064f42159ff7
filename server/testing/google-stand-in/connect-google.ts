import { serviceOfIntegration } from '@yonder/contract/integration-names'
import type { GoogleIntegration } from '@yonder/contract/integration-names'
import type { Integration } from '@yonder/contract/integration'
import type { TestClient } from '../test-app.ts'

/** What Google's page sends a browser back with. */
export interface ReturnFromGoogle {
  readonly path: string
  readonly code: string | null
  readonly state: string | null
  readonly error: string | null
}

/** Sends a person to the page of consent, where the stand-in decides at once. */
export async function visitGoogle(client: TestClient, name: GoogleIntegration): Promise<ReturnFromGoogle> {
  const answer = await client.get(`/api/integration/auth/${name}`)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  const { authUrl } = answer.json<{ authUrl: string }>()
  const sentBack = await fetch(authUrl, { redirect: 'manual' })
  const { pathname, searchParams } = new URL(sentBack.headers.get('location') ?? '')
  const [code, state, error] = ['code', 'state', 'error'].map((name) => searchParams.get(name))
  return { path: pathname, code: code ?? null, state: state ?? null, error: error ?? null }
}

/** Adds an integration at Google for a person, and connects it. */
export async function connectGoogle(client: TestClient, name: GoogleIntegration): Promise<Integration> {
  await client.post('/api/integration', { name, auth_type: 'oauth' })
  const { code, state } = await visitGoogle(client, name)
  const answer = await client.post(`/api/integration/callback/${serviceOfIntegration(name)}`, { code, state })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json<Integration>()
}

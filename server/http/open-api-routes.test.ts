import { expect, it } from 'vitest'
import { openTestApp } from '../testing/test-app.ts'

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: unknown }>>>>
}

it('publishes every call with its body and response, generated from the schemas that validate them', async () => {
  const product = await openTestApp()
  const answer = await product.app.inject({ url: '/api/openapi.json', headers: { host: 'localhost:3000' } })
  const { paths } = answer.json<Document>()
  for (const [path, method] of [
    ['/api/bots', 'get'],
    ['/api/bot', 'post'],
    ['/api/bot/{name}', 'put'],
    ['/api/bot/{name}', 'delete'],
    ['/api/chat/id', 'get'],
    ['/api/chats/{id}', 'get'],
    ['/api/chats', 'get'],
    ['/api/chat/completions', 'post'],
    ['/api/chat/stop', 'post'],
    ['/api/chat/{id}/stream', 'get'],
    ['/api/chat/select-response', 'post'],
    ['/api/auth/userinfo', 'get'],
    ['/api/settings', 'get'],
  ] as const) {
    expect(paths[path]?.[method], `${method} ${path}`).toBeDefined()
  }
  expect(JSON.stringify(paths['/api/bot']?.['post']?.requestBody)).toContain('max_tokens')
  expect(Object.keys(paths)).not.toContain('/metrics')
  await product.close()
})

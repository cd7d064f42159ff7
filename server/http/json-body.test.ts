import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createErrorHandler } from './error-handler.ts'
import { registerJsonBody } from './json-body.ts'

let app: FastifyInstance
beforeAll(() => {
  app = Fastify({ bodyLimit: 1_048_576 })
  app.setErrorHandler(createErrorHandler(() => null))
  registerJsonBody(app)
  app.post('/', (request) => ({ seen: request.body ?? null }))
})
afterAll(() => app.close())

const json = { 'content-type': 'application/json' }
const post = (payload: string | Buffer, headers: Record<string, string> = json) =>
  app.inject({ method: 'POST', url: '/', payload, headers })

describe('a JSON body', () => {
  it('is cleaned of NUL and lone surrogates before it is read', async () => {
    const answer = await post('{"a\\u0000":["\\ud83d x \\ude00","\\ud83d\\ude00"]}')
    expect(answer.json()).toEqual({ seen: { 'a\uFFFD': ['\uFFFD x \uFFFD', '😀'] } })
  })

  it.each([
    ['is cut', '{"a":'],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['is nested without end', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['has 20,001 values', `[${'0,'.repeat(20_000)}0]`],
    ['has 10,001 names', `{${Array.from({ length: 10_001 }, (_, at) => `"k${at}":""`).join(',')}}`],
    ['reaches for a prototype', '{"a":{"__proto__":{"admin":true}}}'],
  ])('is refused when it %s', async (_what, payload) => {
    const answer = await post(payload)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      error: { code: 'invalid_request', message: expect.any(String) as string },
    })
  })

  it('may have 20,000 values, and a text with more commas', async () => {
    expect((await post(`[${'0,'.repeat(19_999)}0]`)).statusCode).toBe(200)
    expect((await post(JSON.stringify({ a: '"\\,:'.repeat(20_000) }))).statusCode).toBe(200)
  })

  it('may have at most 1 MiB', async () => {
    expect((await post(JSON.stringify('x'.repeat(1_000_000)))).statusCode).toBe(200)
    const large = await post(JSON.stringify('x'.repeat(2_000_000)))
    expect(large.statusCode).toBe(413)
    expect(large.json()).toMatchObject({ error: { code: 'payload_too_large' } })
  })

  it.each([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }],
  ])('is not read from %s', async (_what, headers) => {
    const answer = await post('{}', headers)
    expect(answer.statusCode).toBe(415)
    expect(answer.json()).toMatchObject({ error: { code: 'unsupported_media_type' } })
  })
})

import { Validator as SchemaValidator } from '@cfworker/json-schema'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify, { type FastifySchema } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { z } from 'zod'
import { openTestApp, type TestApp } from '../testing/test-app.ts'
import { unpublished } from './api.ts'
import { errorsOf, registerOpenApi } from './open-api.ts'

interface Operation {
  readonly summary: string
  readonly tags: readonly string[]
  readonly security?: readonly unknown[]
  readonly 'x-permission': string
  readonly requestBody?: { readonly content: { readonly 'application/json': object } }
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

let product: TestApp
let document: { readonly paths: Paths }
/** The schemas that validate the bodies of calls such as `post /api/bot`. */
const bodies = new Map<string, z.ZodType>()

beforeAll(async () => {
  product = await openTestApp({
    addHooks(app) {
      app.get('/oidc/page', () => 'A page of the sign-in declares nothing.')
      app.addHook('onRoute', ({ method, url, schema }) => {
        const name = `${String(method).toLowerCase()} ${url.replaceAll(/:(\w+)/g, '{$1}')}`
        if (schema?.body !== undefined) bodies.set(name, schema.body as z.ZodType)
      })
    },
  })
  document = (
    await product.app.inject({ url: '/api/openapi.json', headers: { host: 'localhost:3000' } })
  ).json()
})
afterAll(() => product.close())

it('is a valid OpenAPI document, in which every call says what it does and who may make it', async () => {
  expect(await new Validator().validate(document)).toMatchObject({ valid: true })
  const operations = Object.values(document.paths).flatMap((calls) => Object.values(calls))
  expect(operations.length).toBeGreaterThan(45)
  for (const { summary, tags, security, 'x-permission': permission } of operations) {
    expect(summary).toMatch(/^[A-Z]/)
    expect(tags, summary).toEqual([expect.stringMatching(/^[a-z-]+$/)])
    expect(security, summary).toEqual(permission === 'public' ? [] : undefined)
  }
  expect(Object.keys(document.paths).filter((path) => !path.startsWith('/api/'))).toEqual([])
})

it('lists the errors of a call: its own, and those of all calls like it', () => {
  const { responses } = document.paths['/api/bot/{name}']?.['put'] ?? {}
  const names = Object.entries(responses ?? {}).map(([status, { $ref = '' }]) => [
    status,
    $ref.split('/').at(-1),
  ])
  expect(Object.fromEntries(names)).toEqual({
    200: '',
    400: 'invalid_request',
    401: 'unauthenticated',
    404: 'not_found',
    409: 'name_taken',
    413: 'payload_too_large',
    415: 'unsupported_media_type',
    429: 'rate_limited',
    500: 'internal',
    503: 'identity_unavailable.restarting.unavailable',
    507: 'storage_full',
  })
  expect(errorsOf('GET', { permission: 'public', errors: ['not_found'] })).toEqual([
    'invalid_request',
    'not_found',
    'storage_full',
    'restarting',
    'unavailable',
    'internal',
  ])
})

it('has an example of every body, and each example is valid', () => {
  for (const { schema, example } of findExamples(document)) {
    const { errors } = new SchemaValidator({ ...document, allOf: [schema as object] }, '2020-12').validate(
      example,
    )
    expect(errors, JSON.stringify(example)).toEqual([])
  }
  for (const [path, calls] of Object.entries(document.paths)) {
    for (const [method, { requestBody, summary }] of Object.entries(calls)) {
      if (requestBody === undefined) continue
      const bodyExamples = findExamples(requestBody).map(({ example }) => example)
      expect(bodyExamples, summary).not.toEqual([])
      const body = bodies.get(`${method} ${path}`)
      for (const example of bodyExamples) expect(body?.safeParse(example).success, summary).toBe(true)
    }
  }
})

/** All examples below a node of the document, with their schemas. */
function findExamples(node: unknown): readonly { readonly schema: unknown; readonly example: unknown }[] {
  if (typeof node !== 'object' || node === null) return []
  const { schema = node, example, examples = [], ...below } = node as Readonly<Record<string, unknown>>
  const own = example === undefined ? (examples as readonly unknown[]) : [example]
  return [
    ...own.map((each) => ({ schema, example: each })),
    ...[schema === node ? null : schema, ...Object.values(below)].flatMap(findExamples),
  ]
}

it('refuses a route that does not say who may call it', async () => {
  const app = Fastify()
  await registerOpenApi(app, 'http://localhost:3000')
  expect(() => app.get('/api/open', () => 'here')).toThrow('GET /api/open does not say who may call it.')
  const schema = { permission: 'user', errors: [] } satisfies FastifySchema
  expect(() => app.get('/api/open', { schema }, () => 'here')).toThrow('GET /api/open')
  // @ts-expect-error: a schema without permission and errors does not compile either.
  expect(() => app.get('/api/open', { schema: { summary: 'Open' } }, () => 'here')).toThrow('GET /api/open')
  expect(() => app.get('/api/hidden', { schema: unpublished }, () => 'here')).not.toThrow()
})

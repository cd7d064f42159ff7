import swagger from '@fastify/swagger'
import { errorCodes, type ErrorCode } from '@yonder/contract/error'
import { examples } from '@yonder/contract/examples'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { unpublished } from './api.ts'
import { statusOf } from './error-handler.ts'

const description =
  'The calls that the web app makes. `x-permission` says who may make one: `public` everyone, `user` every signed-in user, `owner` the user who owns what it names.'

const ofEveryRoute = ['invalid_request', 'storage_full', 'restarting', 'unavailable', 'internal'] as const
const ofBodies = ['payload_too_large', 'unsupported_media_type'] as const
const ofUsers = ['unauthenticated', 'identity_unavailable', 'rate_limited'] as const

/** The codes of all errors that a route responds with, in the order of `errorCodes`. */
export function errorsOf(method: string, { permission, errors }: FastifySchema): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...ofEveryRoute, ...errors])
  if (method !== 'GET') for (const code of ofBodies) codes.add(code)
  if (permission !== 'public') for (const code of ofUsers) codes.add(code)
  if (permission === 'owner') codes.add('not_found')
  return errorCodes.filter((code) => codes.has(code))
}

/**
 * Publishes at `/api/openapi.json` what the routes declare. Must be registered before them: one below `/api/` that does
 * not declare who may call it is refused with an `Error`.
 */
export async function registerOpenApi(app: FastifyInstance, publicUrl: string): Promise<void> {
  app.addHook('onRoute', requireDeclaration)
  const toJsonSchemas = createJsonSchemaTransform({ schemaRegistry: examples })
  const addComponents = createJsonSchemaTransformObject({ schemaRegistry: examples })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Yonder', version: '1', description },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      security: [{ bearer: [] }],
    },
    transform(document) {
      const { url, route } = document
      const { schema = unpublished } = route
      const described = {
        ...schema,
        // `/api/bots` and `/api/bot/{name}` belong together.
        tags: [url.replace(/^\/api\/([\w-]+?)s?([/.].*)?$/, '$1')],
        ...(schema.permission === 'public' ? { security: [] } : {}),
        'x-permission': schema.permission,
        'x-errors': errorsOf(String(route.method), schema),
      }
      return toJsonSchemas({ ...document, schema: described })
    },
    transformObject: (document) => addErrors(addComponents(document) as Document),
  })
  let document: string | undefined
  app.get('/api/openapi.json', { schema: unpublished }, (_request, reply) => {
    // Anyone can request the document, so it is serialized only once.
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(document)
  })
}

function requireDeclaration({ method, url, schema }: RouteOptions): void {
  if (!url.startsWith('/api/') || (schema?.permission && (schema.hide || schema.summary))) return
  throw new Error(
    `${String(method)} ${url} does not say who may call it. Declare it with \`route\` of http/api.ts.`,
  )
}

/** The parts of an OpenAPI document that `addErrors` changes. */
interface Document {
  readonly components: { responses?: Record<string, unknown>; schemas: Record<string, unknown> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  'x-errors'?: readonly ErrorCode[]
  readonly responses: Record<string, unknown>
}

/** Describes the errors of each call: for each status, a response that is named after its codes. */
function addErrors(document: Document): Document {
  const { paths, components } = document
  components.responses = {}
  // Each schema is also there as an input. The bodies of requests contain no schema that has a name.
  for (const name of Object.keys(components.schemas))
    if (name.endsWith('Input')) delete components.schemas[name]
  for (const operation of Object.values(paths).flatMap((calls) => Object.values(calls))) {
    const { 'x-errors': errors = [], responses } = operation
    delete operation['x-errors']
    for (const status of new Set(errors.map((code) => statusOf[code]))) {
      const codes = errors.filter((code) => statusOf[code] === status)
      const name = codes.join('.')
      responses[status] = { $ref: `#/components/responses/${name}` }
      const properties = { error: { properties: { code: { enum: codes } } } }
      const schema = { $ref: '#/components/schemas/Error', properties }
      components.responses[name] = {
        description: codes.join(' or '),
        content: { 'application/json': { schema } },
      }
    }
  }
  return document
}

import type { FastifyInstance } from 'fastify'
import type { Permission } from '../../http/api.ts'
import type { Method } from '../send-request.ts'

/** One call of the API, as its OpenAPI document describes it. */
export interface ApiCall {
  /** Method and path, such as `POST /api/chat/stop`. */
  readonly name: string
  readonly method: Method
  readonly path: string
  /** The names of its fields, by location. */
  readonly fields: Readonly<Record<'path' | 'query' | 'body', readonly string[]>>
  readonly hasBody: boolean
  readonly permission: Permission
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly 'x-permission': Permission
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly anyOf?: readonly Schema[]
}

/** Returns every published call, so that tests based on this list include new ones. */
export async function listApiCalls(app: FastifyInstance): Promise<readonly ApiCall[]> {
  const response = await app.inject({ url: '/api/openapi.json', headers: { host: 'localhost:3000' } })
  const { paths } = response.json<{ paths: Record<string, Record<string, Operation>> }>()
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const method = verb.toUpperCase() as Method
      const schema = operation.requestBody?.content['application/json']?.schema
      const listNames = (location: string) =>
        (operation.parameters ?? []).filter((each) => each.in === location).map(({ name }) => name)
      return {
        name: `${method} ${path}`,
        method,
        path,
        fields: {
          path: listNames('path'),
          query: listNames('query'),
          body: [...new Set(listFields(schema))],
        },
        hasBody: schema !== undefined,
        permission: operation['x-permission'],
      }
    }),
  )
}

function listFields(schema: Schema | undefined): readonly string[] {
  if (schema === undefined) return []
  return [...Object.keys(schema.properties ?? {}), ...(schema.anyOf ?? []).flatMap(listFields)]
}

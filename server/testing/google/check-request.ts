import { discoveredSchemas, type DiscoveredMethod, type QueryType } from './discovery.ts'

export interface MatchedRequest {
  readonly method: DiscoveredMethod
  /** The parameters in the path and the query. Repeatable ones are lists. */
  readonly params: Readonly<Record<string, string | readonly string[]>>
}

type JsonObject = Readonly<Record<string, unknown>>

/** Returns the method that a request calls, if any. */
export function matchMethod(
  methods: readonly DiscoveredMethod[],
  request: Request,
): MatchedRequest | undefined {
  const { pathname, searchParams } = new URL(request.url)
  // Fixed path segments take precedence over parameters.
  const bySpecificity = methods.toSorted((a, b) => countParams(a.path) - countParams(b.path))
  for (const method of bySpecificity) {
    const found = method.httpMethod === request.method ? matchPath(method.path, pathname) : undefined
    if (found === undefined) continue
    const query = [...new Set(searchParams.keys())].map((name): [string, string | string[]] => {
      const values = searchParams.getAll(name)
      return [name, method.query[name] === 'string[]' ? values : (values[0] ?? '')]
    })
    return { method, params: { ...found, ...Object.fromEntries(query) } }
  }
  return undefined
}

/** Lists the query parameters and the parts of the body that do not match the discovery document. */
export function listShapeProblems({ method }: MatchedRequest, url: URL, body: unknown): string[] {
  const query = [...url.searchParams].flatMap(([name, value]) => {
    const type = method.query[name]
    if (type === undefined) return [`${method.id} has no parameter "${name}"`]
    return fits(type, value) ? [] : [`${method.id}: "${name}" cannot be "${value}"`]
  })
  if (method.request === undefined) {
    return body === undefined ? query : [...query, `${method.id} has no body`]
  }
  return [...query, ...listBodyProblems(method.request, body)]
}

function countParams(path: string): number {
  return path.split('{').length - 1
}

function matchPath(template: string, pathname: string): Record<string, string> | undefined {
  const [expected, actual] = [template.split('/'), pathname.replace(/^\//, '').split('/')]
  if (expected.length !== actual.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const value = decodeURIComponent(actual[index] ?? '')
    const param = /^\{(\w+)\}$/.exec(part)?.[1]
    if (param !== undefined && value !== '') params[param] = value
    else if (part !== value) return undefined
  }
  return params
}

function fits(type: QueryType, value: string): boolean {
  switch (type) {
    case 'string':
    case 'string[]':
      return true
    case 'boolean':
      return value === 'true' || value === 'false'
    case 'integer':
      return /^\d+$/.test(value)
    case 'date-time':
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
    default:
      return type.includes(value)
  }
}

function listBodyProblems(schema: keyof typeof discoveredSchemas, body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [`a ${schema} is missing`]
  const fields: Readonly<Record<string, string>> = discoveredSchemas[schema]
  return Object.entries(body as JsonObject).flatMap(([name, value]) => {
    const type = fields[name]
    if (type === undefined) return [`a ${schema} has no "${name}"`]
    // Null clears a field in a patch.
    if (value === null) return []
    if (type in discoveredSchemas) return listBodyProblems(type as keyof typeof discoveredSchemas, value)
    const actual = Array.isArray(value) ? 'array' : typeof value
    return actual === type ? [] : [`"${name}" of a ${schema} is ${actual}`]
  })
}

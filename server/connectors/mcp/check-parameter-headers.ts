/** Matches a valid name of a header. */
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const simpleTypes: readonly unknown[] = ['string', 'integer', 'boolean']
const key = 'x-mcp-header'

/**
 * Checks the `x-mcp-header` annotations of a tool, which request that parameters are also sent as headers. Returns why
 * one is invalid, or undefined. The protocol requires clients to ignore a tool with an invalid annotation. A valid
 * one is on a property of a simple type that is reached through `properties` alone, and its header name is valid in
 * HTTP and unique. The check is recursive, so the schema must not be nested deeply.
 */
export function checkParameterHeaders(schema: Readonly<Record<string, unknown>>): string | undefined {
  const names = new Set<string>()
  const visit = (node: unknown, reachable: boolean, isRoot: boolean): string | undefined => {
    if (typeof node !== 'object' || node === null) return undefined
    if (Array.isArray(node)) return firstProblem(node.map((item) => visit(item, false, false)))
    const part = node as Readonly<Record<string, unknown>>
    if (Object.hasOwn(part, key)) {
      const problem = checkAnnotation(part, reachable && !isRoot, names)
      if (problem !== undefined) return problem
    }
    return firstProblem(
      Object.entries(part).map(([name, child]) => {
        if (name !== 'properties')
          return keywordsWithSchemas.has(name) ? visit(child, false, false) : undefined
        if (typeof child !== 'object' || child === null) return undefined
        return firstProblem(Object.values(child).map((property) => visit(property, reachable, false)))
      }),
    )
  }
  return visit(schema, true, true)
}

function checkAnnotation(
  property: Readonly<Record<string, unknown>>,
  reachable: boolean,
  names: Set<string>,
): string | undefined {
  const name = property[key]
  if (!reachable) return 'it requests a header for something that is not a simple parameter'
  if (typeof name !== 'string' || !headerName.test(name)) return 'it requests a header with an invalid name'
  if (!simpleTypes.includes(property['type']))
    return 'it requests a header for a parameter that is not a text, an integer or a boolean'
  if (names.has(name.toLowerCase())) return 'it requests the same header for two parameters'
  names.add(name.toLowerCase())
  return undefined
}

/** Keywords that contain schemas, which are not reached through `properties` alone. */
const keywordsWithSchemas = new Set([
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])

function firstProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined)
}

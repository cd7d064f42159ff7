import { hasInvisible } from '@yonder/contract/lib/invisible'
import { isDeeperThan } from '../../lib/canonical-json.ts'
import { isObject, type JsonObject } from '../../lib/json-object.ts'
import { cleanText, normalizeText } from '../../lib/text.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import { fingerprintTool, type ToolDefinition } from './tool-store.ts'

/** Limits of what is stored of a server's list. */
export type ToolListLimits = Pick<
  ConnectorLimits,
  'maxTools' | 'maxToolNameChars' | 'maxDescriptionChars' | 'maxSchemaChars' | 'maxSchemaDepth'
>

/** A tool in a server's list. */
export interface ListedTool {
  readonly name: string
  /** The `ToolDefinition` as JSON, as it is stored. */
  readonly definition: string
  readonly fingerprint: string
  /** Why the tool cannot be used; null when it can. */
  readonly problem: string | null
}

/** One page of a server's list. */
export interface ToolPage {
  /** The tools that were read, at most as many as are stored; null for a tool without a usable name. */
  readonly tools: readonly (ListedTool | null)[]
  /** The number of tools on the page. */
  readonly count: number
}

/** What is stored of a server's list. */
export interface ToolReading {
  readonly tools: readonly ListedTool[]
  /** A sentence about tools that are ignored or cannot be used; null when there are none. */
  readonly notice: string | null
}

/**
 * Reads a page tool by tool, so that an invalid tool does not affect the others. A tool whose definition is unusable is
 * returned with a `problem`.
 */
export function readPage(listed: readonly unknown[], url: string, limits: ToolListLimits): ToolPage {
  const tools = listed.slice(0, limits.maxTools).map((item) => {
    const name = isObject(item) ? readName(item, limits) : undefined
    return name === undefined ? null : readTool(name, item as JsonObject, url, limits)
  })
  return { tools, count: listed.length }
}

/**
 * Joins the pages of a list. Tools without a usable name, repeated tools and those above the limit are ignored.
 * `isWhole` says that these are all pages of the list.
 */
export function joinPages(
  pages: readonly ToolPage[],
  { maxTools }: Pick<ToolListLimits, 'maxTools'>,
  isWhole: boolean,
): ToolReading {
  const tools = new Map<string, ListedTool>()
  const repeated = new Set<string>()
  let unnamed = 0
  for (const tool of pages.flatMap((page) => page.tools).slice(0, maxTools)) {
    if (tool === null) {
      unnamed++
      continue
    }
    // Two names that differ only by a space at an end are too easily confused.
    const first = tools.get(tool.name.trim())
    if (first === undefined) tools.set(tool.name.trim(), tool)
    else if (first.name === tool.name) repeated.add(`"${tool.name}" is listed more than once`)
    else repeated.add(`"${tool.name}" is ignored, because only a space distinguishes it from "${first.name}"`)
  }
  const count = pages.reduce((sum, page) => sum + page.count, 0)
  const total = isWhole ? count.toLocaleString('en') : `more than ${count.toLocaleString('en')}`
  const unusable = [...tools.values()].filter(({ problem }) => problem !== null)
  // The most important ones first, because the notice shows only a few.
  const remarks = [
    ...(count > maxTools ? [`only the first ${maxTools} of ${total} tools are stored`] : []),
    ...(unnamed > 0
      ? [unnamed === 1 ? 'one tool has no usable name' : `${unnamed} tools have no usable name`]
      : []),
    ...unusable.map(({ name, problem }) => `"${name}" cannot be used: ${problem}`),
    ...repeated,
  ]
  return { tools: [...tools.values()], notice: toNotice(remarks) }
}

function readName({ name }: JsonObject, { maxToolNameChars }: ToolListLimits): string | undefined {
  if (typeof name !== 'string' || name.length > maxToolNameChars) return undefined
  const isUsable = name.trim() !== '' && !hasInvisible(name) && !misleadingSpace.test(name)
  return isUsable ? name : undefined
}

/** White space that users cannot tell from one space. A space at an end is allowed: our pages mark it. */
const misleadingSpace = /[^\S ]| {2}/
const maxTitleChars = 300

function readTool(name: string, item: JsonObject, url: string, limits: ToolListLimits): ListedTool {
  const parts = ['inputSchema', 'outputSchema', 'annotations'].map((part) =>
    isObject(item[part]) ? item[part] : undefined,
  )
  const [given, output, annotations] = parts
  const input = isAbsent(item['inputSchema']) ? { type: 'object' } : given && repairInput(given)
  const definition: ToolDefinition = {
    name,
    title: readText(item['title']),
    description: readText(item['description']) ?? '',
    inputSchema: input ?? {},
    outputSchema: output ?? null,
    annotations: annotations ?? null,
  }
  const problem = findProblem(definition, input, limits)
  const unusable = { ...definition, inputSchema: {}, outputSchema: null, annotations: null }
  // The schemas of an unusable definition may be huge, so they are neither stored nor part of the fingerprint.
  const stored = problem === null ? definition : unusable
  const shortened: ToolDefinition = {
    ...stored,
    title: stored.title === null ? null : shorten(stored.title, maxTitleChars),
    description: shorten(stored.description, limits.maxDescriptionChars),
  }
  return {
    name,
    definition: JSON.stringify(shortened),
    fingerprint: fingerprintTool(stored, url),
    problem,
  }
}

/** Cuts a text and removes invisible characters, since a model must get only text that is visible to users. */
function shorten(text: string, maxChars: number): string {
  // Cut before cleaning too, because cleaning a long text takes time.
  return cleanText(text.slice(0, maxChars * 4))
    .slice(0, maxChars)
    .toWellFormed()
}

/** An empty list is what some languages make of an empty object. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** Repairs the outermost object of a schema of parameters, which models are offered. Null means something further in. */
function repairInput(schema: JsonObject): JsonObject {
  const parts = [
    'type',
    'properties',
    'required',
    '$defs',
    'definitions',
    'additionalProperties',
    'description',
  ]
  const broken = parts.filter(
    (part) => part in schema && (part === 'required' ? schema[part] === null : isAbsent(schema[part])),
  )
  const kept =
    broken.length === 0
      ? schema
      : Object.fromEntries(Object.entries(schema).filter(([key]) => !broken.includes(key)))
  return isAbsent(kept['type']) ? { type: 'object', ...kept } : kept
}

function readText(value: unknown): string | null {
  return typeof value === 'string' ? normalizeText(value) : null
}

function findProblem(
  { inputSchema, outputSchema, annotations }: ToolDefinition,
  given: object | undefined,
  { maxSchemaDepth, maxSchemaChars }: ToolListLimits,
): string | null {
  if (given === undefined || inputSchema['type'] !== 'object') return 'it does not define its parameters'
  const parts = [
    ['the definition of its parameters', inputSchema],
    ['the definition of its results', outputSchema],
    ['the object with its annotations', annotations],
  ] as const
  for (const [description, part] of parts) {
    if (part === null) continue
    // Each nested object of a schema is two levels of JSON: `properties` and the property.
    if (isDeeperThan(part, maxSchemaDepth * 2)) return `${description} is nested too deeply`
    if (JSON.stringify(part).length > maxSchemaChars) return `${description} is too long`
  }
  return hasValidHeaders(inputSchema) ? null : 'it requests headers in a way that the protocol does not allow'
}

const headerKey = 'x-mcp-header'
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const headerTypes: readonly unknown[] = ['string', 'integer', 'boolean']

/**
 * Checks the annotations that request that parameters are also sent as headers. The protocol requires clients to ignore
 * a tool unless each is on a parameter of a simple type that is reached through `properties` alone, and the names of the
 * headers are valid in HTTP and unique.
 */
function hasValidHeaders(schema: JsonObject): boolean {
  const names: string[] = []
  const visit = (properties: unknown): void => {
    for (const property of Object.values(isObject(properties) ? properties : {})) {
      const { [headerKey]: name, type, properties: inner } = isObject(property) ? property : {}
      if (typeof name === 'string' && headerName.test(name) && headerTypes.includes(type))
        names.push(name.toLowerCase())
      visit(inner)
    }
  }
  visit(schema['properties'])
  // All others, such as one in a list, are not valid.
  const count = JSON.stringify(schema).split(`"${headerKey}":`).length - 1
  return new Set(names).size === count && names.length === count
}

/** Remarks that a notice contains; the others are counted. */
const maxRemarks = 5

function toNotice(remarks: readonly string[]): string | null {
  if (remarks.length === 0) return null
  const shown = remarks.slice(0, maxRemarks)
  const more = remarks.length - shown.length
  return `Problems in the list of tools: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
}

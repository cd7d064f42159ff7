import { hasInvisible } from '@yonder/contract/invisible'
import { AppError } from '../../lib/app-error.ts'
import { withTimeout } from '../../lib/abort.ts'
import type { ConnectorLimits } from '../connector-limits.ts'
import type { ServerConnection } from './server-connection.ts'
import { cleanText, normalizeText } from '../../lib/text.ts'
import { isDeeperThan } from '../../lib/canonical-json.ts'
import { fingerprintTool } from '../tools/tool-store.ts'
import type { ToolDefinition } from '../tools/tool-store.ts'
import { checkParameterHeaders } from './check-parameter-headers.ts'

export interface ServerTools extends ToolReading {
  /** The lifetime of the list in milliseconds, or null when the server sent none. */
  readonly ttl: number | null
}

/**
 * Requests all pages of a server's list of tools. `url` is the connector's address, which is part of each fingerprint.
 */
export async function listServerTools(
  connection: ServerConnection,
  url: string,
  limits: ConnectorLimits,
  signal: AbortSignal,
): Promise<ServerTools> {
  if (connection.client.getServerCapabilities()?.tools === undefined) {
    throw new AppError('upstream_invalid', 'The server offers no tools.')
  }
  connection.startRequest(limits.maxListBytes)
  const { listed, ttl } = await withTimeout(signal, limits.listTimeoutMs, (inTime) =>
    readPages(connection, limits, inTime),
  )
  return { ...readTools(listed, url, limits), ttl }
}

async function readPages(
  { client, results }: ServerConnection,
  limits: ConnectorLimits,
  signal: AbortSignal,
) {
  const listed: unknown[] = []
  let cursor: string | undefined
  let ttl: number | null = null
  for (let page = 0; ; page++) {
    if (page === limits.maxListPages) {
      throw new AppError(
        'upstream_invalid',
        `The server's list of tools has more than ${limits.maxListPages} pages.`,
      )
    }
    const response = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      { timeout: limits.listPageTimeoutMs, signal },
    )
    // Not `push(...tools)`: a server may send more tools than a call can have arguments.
    for (const tool of results.consumeTools()) listed.push(tool)
    ttl ??= readTtl(response)
    if (
      response.nextCursor === undefined ||
      response.nextCursor === cursor ||
      listed.length > limits.maxTools
    ) {
      return { listed, ttl }
    }
    cursor = response.nextCursor
  }
}

function readTtl(response: object): number | null {
  const ttl: unknown = 'ttlMs' in response ? response.ttlMs : undefined
  return typeof ttl === 'number' && Number.isFinite(ttl) ? ttl : null
}

type Limits = Pick<
  ConnectorLimits,
  'maxTools' | 'maxToolNameChars' | 'maxDescriptionChars' | 'maxSchemaChars' | 'maxSchemaDepth'
>

/** A tool in a server's list. */
export interface ListedTool {
  readonly definition: ToolDefinition
  readonly fingerprint: string
  /** Why the tool cannot be used; null when it can. */
  readonly problem: string | null
}

export interface ToolReading {
  readonly tools: readonly ListedTool[]
  /** A sentence about tools that are ignored or cannot be used; null when there are none. */
  readonly notice: string | null
}

/**
 * Reads a server's list tool by tool, so that an invalid tool does not affect the others. Tools without a usable name
 * and tools above the limit are ignored. A tool whose definition is unusable is returned with a `problem` (§16.13).
 */
export function readTools(listed: readonly unknown[], url: string, limits: Limits): ToolReading {
  const tools = new Map<string, ListedTool>()
  const remarks: string[] = []
  for (const item of listed.slice(0, limits.maxTools)) {
    const name = readName(item, limits)
    if (name === undefined) remarks.push('one tool has no usable name')
    else if (tools.has(name)) remarks.push(`"${name}" is listed twice`)
    else tools.set(name, readTool(name, item as Record<string, unknown>, url, limits))
  }
  if (listed.length > limits.maxTools)
    remarks.push(`only the first ${limits.maxTools} of ${listed.length} tools are stored`)
  for (const { definition, problem } of tools.values()) {
    if (problem !== null) remarks.push(`"${definition.name}" cannot be used: ${problem}`)
  }
  return { tools: [...tools.values()], notice: toNotice(remarks) }
}

function readName(item: unknown, { maxToolNameChars }: Limits): string | undefined {
  if (typeof item !== 'object' || item === null || !('name' in item)) return undefined
  const { name } = item
  if (typeof name !== 'string' || name.length > maxToolNameChars) return undefined
  const isUsable = name !== '' && !hasInvisible(name) && !misleadingSpace.test(name)
  return isUsable ? name : undefined
}

/** White space that makes two names look the same (§18.32). */
const misleadingSpace = /[^\S ]|^ | $| {2}/
const maxTitleChars = 300

function readTool(name: string, item: Record<string, unknown>, url: string, limits: Limits): ListedTool {
  const parts = ['inputSchema', 'outputSchema', 'annotations'].map((part) => readObject(item[part]))
  const [input, output, annotations] = parts
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
  return {
    definition: {
      ...stored,
      title: stored.title === null ? null : shorten(stored.title, maxTitleChars),
      description: shorten(stored.description, limits.maxDescriptionChars),
    },
    fingerprint: fingerprintTool(stored, url),
    problem,
  }
}

/** Removes invisible characters, since a model must get only text that is visible to users. */
function shorten(text: string, maxChars: number): string {
  // Characters that are far behind the limit are not worth the time to look at them.
  return cleanText(text.slice(0, maxChars * 4))
    .slice(0, maxChars)
    .toWellFormed()
}

function readText(value: unknown): string | null {
  return typeof value === 'string' ? normalizeText(value) : null
}

function readObject(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as Record<string, unknown>
}

function findProblem(
  { inputSchema, outputSchema, annotations }: ToolDefinition,
  given: object | undefined,
  { maxSchemaDepth: schemaDepth, maxSchemaChars: schemaChars }: Limits,
): string | null {
  if (given === undefined || inputSchema['type'] !== 'object') return 'it does not define its parameters'
  for (const part of [inputSchema, outputSchema, annotations]) {
    if (part === null) continue
    if (isDeeperThan(part, schemaDepth * 2)) return 'the definition of its parameters is nested too deeply'
    if (JSON.stringify(part).length > schemaChars) return 'the definition of its parameters is too long'
  }
  return checkParameterHeaders(inputSchema) ?? null
}

function toNotice(remarks: readonly string[]): string | null {
  if (remarks.length === 0) return null
  const shown = [...new Set(remarks)].slice(0, 5)
  const more = new Set(remarks).size - shown.length
  return `Problems in the list of tools: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
}

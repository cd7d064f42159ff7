import { setImmediate } from 'node:timers/promises'
import type { ApiType } from '@yonder/contract/bot'
import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { cleanText } from '../../lib/text.ts'
import { adaptSchema } from '../model-tools/adapt-schema.ts'
import type { JsonSchema } from '../model-tools/json-schema.ts'
import { nameTools } from '../model-tools/name-tools.ts'
import { parseDefinition } from './tool-store.ts'

/** The tool that a name refers to. */
export interface CallTarget {
  readonly connectorId: string
  readonly connectorName: string
  readonly toolName: string
}

export interface ConnectorWithTools {
  readonly connector: ConnectorRow
  readonly tools: readonly ConnectorToolRow[]
}

/** A tool in the form in which it is offered to a model. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

export interface AdaptedTool extends OfferedTool {
  readonly connector: ConnectorRow
  readonly toolName: string
  /** Characters that the tool adds to a request. */
  readonly chars: number
}

/** All tools that models of one API type can use, before those that fit into a request are chosen. */
export interface AdaptedTools {
  /** In a stable order, for the provider's prompt cache. */
  readonly tools: readonly AdaptedTool[]
  /** Characters of all of them. */
  readonly chars: number
  /**
   * Returns the tool with a name, also when it is blocked or its schema cannot be adapted. Names are looked up, never
   * parsed.
   */
  resolve(name: string): CallTarget | undefined
  /** Why the tools whose schemas cannot be adapted are not offered. */
  readonly problems: readonly ToolProblem[]
}

export interface ToolProblem {
  readonly connector: ConnectorRow
  readonly toolName: string
  /** A sentence for the user. */
  readonly notice: string
}

/** Milliseconds of work without yielding to the event loop; a server may list hundreds of large schemas. */
const maxWorkMs = 20

/** Returns the tools of these connectors in the form in which they are offered to models of this API type. */
export async function adaptTools(
  connectors: readonly ConnectorWithTools[],
  apiType: ApiType,
): Promise<AdaptedTools> {
  const inOrder = [...connectors].sort((a, b) => (a.connector.slug < b.connector.slug ? -1 : 1))
  const usable = inOrder.flatMap(({ connector, tools }) =>
    tools
      .filter(({ problem }) => problem === null)
      .map((row) => ({ connectorId: connector.id, slug: connector.slug, tool: row.name, row, connector })),
  )
  const named = nameTools(usable)
  const problems: ToolProblem[] = []
  const tools: AdaptedTool[] = []
  let startedAt = performance.now()
  for (const [name, { row, connector }] of named) {
    if (performance.now() - startedAt > maxWorkMs) {
      await setImmediate()
      startedAt = performance.now()
    }
    const { description, title, inputSchema } = parseDefinition(row.definition)
    const adapted = adaptSchema(inputSchema, apiType)
    if ('problem' in adapted) {
      const notice = `The tool "${row.name}" of ${connector.name} is not offered to the model: ${adapted.problem}.`
      problems.push({ connector, toolName: row.name, notice })
      continue
    }
    const offered = {
      name,
      description: description || title || row.name,
      inputSchema: cleanValue(adapted.schema) as JsonSchema,
    }
    tools.push({ ...offered, connector, toolName: row.name, chars: countChars(offered) })
  }
  return {
    tools,
    chars: sumChars(tools),
    resolve(name) {
      const tool = named.get(name)
      return (
        tool && {
          connectorId: tool.connector.id,
          connectorName: tool.connector.name,
          toolName: tool.tool,
        }
      )
    },
    problems,
  }
}

/**
 * Returns only the tools that may be offered. The others keep their names, so that these keep theirs and `resolve` still
 * finds all.
 */
export function selectTools(
  adapted: AdaptedTools,
  mayOffer: (tool: Pick<AdaptedTool, 'connector' | 'toolName'>) => boolean,
): AdaptedTools {
  const tools = adapted.tools.filter(mayOffer)
  if (tools.length === adapted.tools.length && adapted.problems.length === 0) return adapted
  return { ...adapted, tools, chars: sumChars(tools), problems: adapted.problems.filter(mayOffer) }
}

function sumChars(tools: readonly AdaptedTool[]): number {
  return tools.reduce((sum, { chars }) => sum + chars, 0)
}

function countChars({ name, description, inputSchema }: OfferedTool): number {
  return name.length + description.length + JSON.stringify(inputSchema).length
}

/** Removes invisible characters from all texts and keys of a schema. */
function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cleanValue)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanValue(item)]))
}

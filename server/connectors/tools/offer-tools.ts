import { setImmediate } from 'node:timers/promises'
import type { ApiType } from '@yonder/contract/bot'
import type { ConnectorRow, ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import { adaptSchema } from '../model-tools/adapt-schema.ts'
import type { JsonSchema } from '../model-tools/json-schema.ts'
import { nameTools } from '../model-tools/name-tools.ts'
import { cleanText } from '../../lib/text.ts'
import { parseDefinition } from './tool-store.ts'

/** A tool in the form in which it is offered to a model. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

export interface ModelTools {
  /** In a stable order, for the provider's prompt cache. */
  readonly tools: readonly OfferedTool[]
  /** Returns the tool with a name. Names are looked up, never parsed. */
  resolve(name: string): { readonly connectorName: string; readonly toolName: string } | undefined
  /** Returns what is offered of a connector's tool, if it is offered. */
  find(connector: Pick<ConnectorRow, 'id'>, toolName: string): OfferedTool | undefined
  /** Sentences about tools that are not offered. */
  readonly notices: readonly string[]
}

/** The number of tools above which models choose badly. */
const manyTools = 40

export interface ReadyConnector {
  readonly connector: ConnectorRow
  readonly tools: readonly ConnectorToolRow[]
}

/** Milliseconds of work before it yields to the event loop, because a server may list hundreds of large schemas. */
const maxWorkMs = 20

/** Returns the tools of these connectors in the form in which they are offered to models of this API type. */
export async function offerTools(
  ready: readonly ReadyConnector[],
  apiType: ApiType,
  maxTools: number,
): Promise<ModelTools> {
  const inOrder = [...ready].sort((a, b) => (a.connector.slug < b.connector.slug ? -1 : 1))
  const usable = inOrder.flatMap(({ connector, tools }) =>
    tools
      .filter(({ problem }) => problem === null)
      .map((row) => ({ connectorId: connector.id, slug: connector.slug, tool: row.name, row, connector })),
  )
  const named = nameTools(usable)
  const notices: string[] = []
  const offered: OfferedTool[] = []
  let startedAt = performance.now()
  for (const [name, { row, connector }] of named) {
    if (performance.now() - startedAt > maxWorkMs) {
      await setImmediate()
      startedAt = performance.now()
    }
    const { description, title, inputSchema } = parseDefinition(row.definition)
    const adapted = adaptSchema(inputSchema, apiType)
    if ('problem' in adapted) {
      notices.push(`"${row.name}" of ${connector.name} is not offered: ${adapted.problem}.`)
    } else if (offered.length === maxTools) {
      notices.push(
        `Only ${maxTools} tools can be offered at once, so some tools of ${connector.name} are missing. Disconnect connectors that you do not need.`,
      )
      break
    } else {
      // Definitions that were stored by an earlier version may still contain invisible characters.
      const readable = cleanText(description || title || row.name)
      offered.push({ name, description: readable, inputSchema: cleanSchema(adapted.schema) })
    }
  }
  if (offered.length > manyTools)
    notices.push(`${offered.length} tools are offered; models choose better from fewer.`)
  return {
    tools: offered,
    notices,
    resolve(name) {
      const tool = named.get(name)
      return tool && { connectorName: tool.connector.name, toolName: tool.tool }
    },
    find({ id }, toolName) {
      return offered.find(({ name }) => {
        const tool = named.get(name)
        return tool?.connectorId === id && tool.tool === toolName
      })
    },
  }
}

/** Removes invisible characters from all texts and keys of a schema (§18.31). */
function cleanSchema(schema: JsonSchema): JsonSchema {
  return cleanValue(schema) as JsonSchema
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cleanValue)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanValue(item)]))
}

/** Formats a number of tools for users. */
export function countTools(tools: number): string {
  return tools === 1 ? '1 tool' : `${tools} tools`
}

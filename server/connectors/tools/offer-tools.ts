import { describeLeftOut } from '@yonder/contract/describe-left-out'
import { maxNamedTools, type LeftOutTools } from '@yonder/contract/tool-call'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { shareTools, type RequestLimits } from '../model-tools/share-tools.ts'
import type { AdaptedTool, AdaptedTools, OfferedTool } from './adapt-tools.ts'

export interface ModelTools extends Pick<AdaptedTools, 'resolve'> {
  /** In a stable order, for the provider's prompt cache. */
  readonly tools: readonly OfferedTool[]
  /** Returns a connector's tool as the model gets it. Undefined when the tool is not offered. */
  find(connector: Pick<ConnectorRow, 'id'>, toolName: string): OfferedTool | undefined
  /** Sentences for the user: which tools are not offered, and that too many are offered. */
  readonly notices: readonly string[]
  /** The tools that do not fit into a request; `connectors` is empty when all fit. */
  readonly leftOut: LeftOutTools
}

/** The number of offered tools above which a notice says that fewer would be better. */
const manyTools = 40

/** Whether all tools fit into one request, so that none has to be chosen. */
export function fitsRequest({ tools, chars }: AdaptedTools, { maxTools, maxChars }: RequestLimits): boolean {
  return tools.length <= maxTools && chars <= maxChars
}

/** Chooses the tools that one request offers. `isPreferred` decides which ones are chosen first. */
export function offerTools(
  adapted: AdaptedTools,
  limits: RequestLimits,
  isPreferred: (tool: AdaptedTool) => boolean = () => false,
): ModelTools {
  const candidates = adapted.tools.map((tool) => ({
    tool,
    connectorId: tool.connector.id,
    chars: tool.chars,
    isPreferred: isPreferred(tool),
  }))
  const { chosen, reached } = shareTools(candidates, limits)
  const offered = candidates.filter((candidate) => chosen.has(candidate)).map(({ tool }) => tool)
  const missing = candidates.filter((candidate) => !chosen.has(candidate)).map(({ tool }) => tool)
  const leftOut: LeftOutTools = {
    ...(reached.has('maxTools') ? { max_tools: limits.maxTools } : {}),
    ...(reached.has('maxChars') ? { max_chars: limits.maxChars } : {}),
    ...(missing.length > 0 ? { offered: offered.length, total: candidates.length } : {}),
    connectors: groupByConnector(missing),
  }
  const notices = adapted.problems.map(({ notice }) => notice)
  if (missing.length > 0) notices.push(describeLeftOut(leftOut))
  if (offered.length > manyTools)
    notices.push(`${offered.length} tools are offered; models choose better from fewer.`)
  return {
    tools: offered.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    notices,
    leftOut,
    resolve: (name) => adapted.resolve(name),
    find: ({ id }, toolName) =>
      offered.find(({ connector, toolName: name }) => connector.id === id && name === toolName),
  }
}

function groupByConnector(missing: readonly AdaptedTool[]): LeftOutTools['connectors'] {
  const groups = new Map<string, LeftOutTools['connectors'][number]>()
  for (const { connector, toolName } of missing) {
    const group = groups.get(connector.id) ?? {
      connector_id: connector.id,
      server: connector.name,
      count: 0,
      tools: [],
    }
    groups.set(connector.id, group)
    group.count++
    if (group.tools.length < maxNamedTools) group.tools.push(toolName)
  }
  return [...groups.values()]
}

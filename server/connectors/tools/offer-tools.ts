import { setImmediate as nextTurn } from 'node:timers/promises'
import { describeLeftOut } from '@yonder/contract/describe-left-out'
import { maxNamedTools, type LeftOutTools } from '@yonder/contract/tool-call'
import { ownerOf } from '../../access/access.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { listToolCalls } from '../calls/call-record-store.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import type { AdaptedTool, AdaptedTools, OfferedTool } from './adapt-tools.ts'
import { listPermissions, type PermissionVersion } from './permission-store.ts'

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

interface ToolCandidate {
  readonly connectorId: string
  /** Characters that the tool adds to a request. */
  readonly chars: number
  /** Whether the user has allowed or used the tool, so that it is chosen first. */
  readonly isPreferred: boolean
}

/** What all tools of one request to a model may take together. */
export interface RequestLimits {
  readonly maxTools: number
  readonly maxChars: number
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

/** The part of the limits that preferred tools may use before the connectors share the rest. */
const preferredPart = 0.75

/**
 * Chooses the tools that fit into one request. Preferred tools come first, up to three quarters of the limits. The rest
 * is shared: each further tool is taken from the connector with the smallest share so far. The share of a connector is
 * its part of the tools or of the characters, whichever is larger, so a connector with many or large tools does not
 * displace the others. `reached` are the limits that caused tools to be left out.
 */
export function shareTools<Candidate extends ToolCandidate>(
  candidates: readonly Candidate[],
  limits: RequestLimits,
) {
  const chosen = new Set<Candidate>()
  const reached = new Set<keyof RequestLimits>()
  let chars = 0
  const choose = (part: number, from: readonly Candidate[]): void => {
    reached.clear()
    for (const candidate of inTurns(from, [...chosen], limits)) {
      if (chosen.size >= Math.floor(limits.maxTools * part)) reached.add('maxTools')
      // A smaller tool may still fit.
      else if (chars + candidate.chars > limits.maxChars * part) reached.add('maxChars')
      else {
        chosen.add(candidate)
        chars += candidate.chars
      }
    }
  }
  const preferred = candidates.filter(({ isPreferred }) => isPreferred)
  choose(preferredPart, preferred)
  const remaining = [...preferred, ...candidates.filter(({ isPreferred }) => !isPreferred)]
  choose(
    1,
    remaining.filter((candidate) => !chosen.has(candidate)),
  )
  return { chosen, reached }
}

/** Sorts candidates by the share that their connector has with all that it has before them, beginning with `chosen`. */
function inTurns<Candidate extends ToolCandidate>(
  candidates: readonly Candidate[],
  chosen: readonly Candidate[],
  { maxTools, maxChars }: RequestLimits,
): Candidate[] {
  const counts = new Map<string, { tools: number; chars: number }>()
  const countBefore = ({ connectorId, chars }: Candidate): number => {
    const before = counts.get(connectorId) ?? { tools: 0, chars: 0 }
    counts.set(connectorId, { tools: before.tools + 1, chars: before.chars + chars })
    return Math.max(before.tools / maxTools, before.chars / maxChars)
  }
  chosen.forEach(countBefore)
  const shares = new Map(candidates.map((candidate) => [candidate, countBefore(candidate)]))
  return candidates.toSorted((a, b) => (shares.get(a) ?? 0) - (shares.get(b) ?? 0))
}

/** Milliseconds after which a call no longer counts as recent. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1_000
/** How many of a connector's latest calls are read. */
const maxCalls = 100

/**
 * Returns a function that says whether a tool comes first when not all fit into a request: whether it is on a list of
 * allowed tools or was called recently. A connector without a list allows all of its tools, which says nothing
 * about each of them.
 */
export async function findPreferredTools(
  { database: { db }, now }: Pick<ConnectorDeps, 'database' | 'now'>,
  connectors: readonly ConnectorRow[],
): Promise<(tool: AdaptedTool) => boolean> {
  const withList = connectors.filter(({ asks }) => asks === 1).map(({ id }) => id)
  const since = now() - maxAgeMs
  const decided: PermissionVersion[] = []
  for (const id of withList) {
    // A connector can have thousands of permissions. Blocked tools are not offered anyway.
    decided.push(...(await listPermissions(db, [id])))
    await nextTurn()
  }
  const calls = await Promise.all(
    connectors.map((connector) =>
      listToolCalls(db, ownerOf(connector), connector.id, { before: undefined, limit: maxCalls }),
    ),
  )
  const recent = calls.flat().filter((call) => call.started_at > since && call.approval !== 'denied')
  const keys = new Set([
    ...decided.map(({ connector_id, name }) => `${connector_id} ${name}`),
    ...recent.map(({ connector_id, tool }) => `${connector_id} ${tool}`),
  ])
  return ({ connector, toolName }) => keys.has(`${connector.id} ${toolName}`)
}

import type { ApiType } from '@yonder/contract/bot'
import type { ConnectorRow, ConnectorToolRow } from '../db/connector-tables.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { findConnectorById } from './connector-store.ts'
import type { Owner } from './connector-store.ts'
import { listOwnConnectors } from './list-own-connectors.ts'
import { explainFailure } from './mcp/explain-failure.ts'
import { adaptSchema } from './model-tools/adapt-schema.ts'
import type { JsonSchema } from './model-tools/adapt-schema.ts'
import { nameTools } from './model-tools/name-tools.ts'
import { refreshTools } from './refresh-tools.ts'
import { parseDefinition } from './tool-definition.ts'
import { listTools } from './tool-store.ts'

/** A line of the log of connections (§3.17); `server` is the connector's name. */
export interface ConnectionStatus {
  readonly status: 'connecting' | 'connected' | 'error' | 'info' | 'summary'
  readonly server: string
  readonly message: string
  /** Ends the round (§4.9). */
  readonly finished?: true
}

/** A tool as a model is told of it. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

export interface ModelTools {
  /** In an order that only changes with the tools. */
  readonly tools: readonly OfferedTool[]
  /** What a name stands for; names are looked up, never taken apart. */
  resolve(name: string): { readonly connectorName: string; readonly toolName: string } | undefined
  /** Sentences about tools that are not offered. */
  readonly notices: readonly string[]
}

export interface ListModelToolsOptions {
  readonly user: Owner
  readonly apiType: ApiType
  readonly signal: AbortSignal
  readonly onStatus: (status: ConnectionStatus) => void
}

/** More tools than this make models choose badly. */
const many = 40

/**
 * The tools of a person's connected connectors. Lists come from the database; those that are due are asked for again, and
 * a reply waits for that only as long as `limits.toolsWait`: a connector that fails or hangs costs its own tools, at most.
 */
export async function listModelTools(
  deps: ConnectorDeps,
  { user, apiType, signal, onStatus }: ListModelToolsOptions,
): Promise<ModelTools> {
  const { database, builtIns, now } = deps
  const connectors = (await listOwnConnectors(database.db, user, builtIns, now())).filter(
    ({ status }) => status !== 'disconnected',
  )
  for (const { name } of connectors)
    onStatus({ status: 'connecting', server: name, message: `Connecting to ${name}` })
  const round = new ConnectionRound(deps, user, onStatus)
  await Promise.all(connectors.map((connector) => round.look(connector, signal)))
  const offered = offerTools(round.ready, apiType, deps.limits.toolsPerRequest)
  for (const notice of offered.notices) onStatus({ status: 'info', server: '', message: notice })
  if (connectors.length > 0) {
    const message = `${round.ready.length} of ${connectors.length} connectors are ready, with ${count(offered.tools.length)}.`
    onStatus({ status: 'summary', server: '', message, finished: true })
  }
  return offered
}

interface ReadyConnector {
  readonly connector: ConnectorRow
  readonly tools: readonly ConnectorToolRow[]
}

class ConnectionRound {
  readonly ready: ReadyConnector[] = []
  readonly #deps: ConnectorDeps
  readonly #user: Owner
  readonly #onStatus: (status: ConnectionStatus) => void

  constructor(deps: ConnectorDeps, user: Owner, onStatus: (status: ConnectionStatus) => void) {
    this.#deps = deps
    this.#user = user
    this.#onStatus = onStatus
  }

  async look(connector: ConnectorRow, signal: AbortSignal): Promise<void> {
    const { limits, now, onError } = this.#deps
    const server = connector.name
    const isDue = connector.status === 'failed' || (connector.tools_expire_at ?? 0) <= now()
    const refreshed = isDue ? refreshTools(this.#deps, connector) : Promise.resolve()
    // It may still fail when nobody waits any more; how it went stands in the row.
    refreshed.catch(() => undefined)
    try {
      await within(limits.toolsWait, refreshed, signal)
    } catch (error) {
      if (!(error instanceof StillWaiting)) {
        const { message } = explainFailure(error)
        this.#onStatus({ status: 'error', server, message })
        return
      }
      this.#onStatus({
        status: 'info',
        server,
        message: `${server} takes long; what is known of it is used.`,
      })
    }
    try {
      await this.#take(connector)
    } catch (error) {
      onError(error)
      this.#onStatus({ status: 'error', server, message: 'Its tools cannot be read.' })
    }
  }

  async #take(connector: ConnectorRow): Promise<void> {
    const { db } = this.#deps.database
    const current = await findConnectorById(db, this.#user, connector.id)
    if (current === undefined) return
    const tools = await listTools(db, [connector.id])
    this.ready.push({ connector: current, tools })
    this.#onStatus({ status: 'connected', server: current.name, message: count(tools.length) })
    if (current.notice !== null) {
      this.#onStatus({ status: 'info', server: current.name, message: current.notice })
    }
  }
}

class StillWaiting extends Error {}

function within(milliseconds: number, work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new StillWaiting())
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end, { once: true })
    const settle = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    }
    work.then(resolve, reject).finally(settle)
  })
}

function offerTools(ready: readonly ReadyConnector[], apiType: ApiType, most: number): ModelTools {
  const inOrder = [...ready].sort((a, b) => (a.connector.slug < b.connector.slug ? -1 : 1))
  const usable = inOrder.flatMap(({ connector, tools }) =>
    tools
      .filter(({ problem }) => problem === null)
      .map((row) => ({ connectorId: connector.id, slug: connector.slug, tool: row.name, row, connector })),
  )
  const named = nameTools(usable)
  const notices: string[] = []
  const offered: OfferedTool[] = []
  for (const [name, { row, connector }] of named) {
    const { description, title, inputSchema } = parseDefinition(row.definition)
    const adapted = adaptSchema(inputSchema, apiType)
    if ('problem' in adapted) {
      notices.push(`"${row.name}" of ${connector.name} is not offered: ${adapted.problem}.`)
    } else if (offered.length === most) {
      notices.push(`Only ${most} tools fit into a request; the others of ${connector.name} are not offered.`)
      break
    } else {
      offered.push({ name, description: description || title || row.name, inputSchema: adapted.schema })
    }
  }
  if (offered.length > many)
    notices.push(`${offered.length} tools are offered; models choose better from fewer.`)
  return {
    tools: offered,
    notices,
    resolve(name) {
      const tool = named.get(name)
      return tool && { connectorName: tool.connector.name, toolName: tool.tool }
    },
  }
}

function count(tools: number): string {
  return tools === 1 ? '1 tool' : `${tools} tools`
}

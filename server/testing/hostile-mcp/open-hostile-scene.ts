import { callTool, type ToolCallRequest } from '../../connectors/calls/call-tool.ts'
import type { ToolOutcome } from '../../connectors/calls/tool-call.ts'
import type { ConnectorLimits } from '../../connectors/connector-limits.ts'
import { requireConnector } from '../../connectors/connector-store.ts'
import { syncConnectors } from '../../connectors/sync-connectors.ts'
import { listModelTools } from '../../connectors/tools/list-model-tools.ts'
import { refreshTools } from '../../connectors/tools/refresh-tools.ts'
import { listTools } from '../../connectors/tools/tool-store.ts'
import type { ConnectorToolRow } from '../../db/tables/connector-tables.ts'
import type { AppError } from '../../lib/app-error.ts'
import { findTarget } from '../mcp/find-target.ts'
import { openTestConnectors, type TestConnectors } from '../mcp/open-test-connectors.ts'
import { startHostileServer, type HostileServer } from './start-hostile-server.ts'

/** Low, because tests wait until they are reached. */
export const hostileLimits = { minReconnectMs: 200, maxReconnects: 3, maxToolListWaitMs: 400 }

/** Also low, for servers that never respond. Others would exceed these limits on a busy machine. */
export const impatientLimits = {
  connectTimeoutMs: 1_500,
  listPageTimeoutMs: 1_500,
  listTimeoutMs: 3_000,
  maxCallIdleMs: 800,
  maxCallMs: 1_600,
}

export const ada = { id: 'ada' }
export const bob = { id: 'bob' }

/** Ada uses a hostile server while Bob uses the default connector. */
export interface HostileScene {
  readonly hostile: HostileServer
  readonly connectors: TestConnectors
  call(request: Partial<ToolCallRequest>): Promise<ToolOutcome>
  /** Replaces Ada's connectors by one for a behaviour, under a new name, and connects it. Returns the name. */
  connect(behaviour: string, query?: Record<string, string>, token?: string): Promise<string>
  /** Calls `connect` and returns its error. Throws when it succeeds. */
  connectError(behaviour: string, query?: Record<string, string>, token?: string): Promise<AppError>
  callTo(behaviour: string, rest?: Partial<ToolCallRequest>): Promise<ToolOutcome>
  toolsOf(name: string): Promise<readonly ConnectorToolRow[]>
  /** Starts Bob's calls, one after the other until `stopBob`. */
  startBob(): void
  /** Rejects when one of Bob's calls failed. */
  stopBob(): Promise<void>
  close(): Promise<void>
}

/** Opens the scene with `hostileLimits`, which `limits` override. */
export async function openHostileScene(limits: Partial<ConnectorLimits> = {}): Promise<HostileScene> {
  const hostile = await startHostileServer()
  const connectors = await openTestConnectors({ limits: { ...hostileLimits, ...limits } })
  await connectors.addUser('ada')
  await connectors.addUser('bob')
  const call = async ({
    user = ada,
    connectorName = '',
    toolName = 'act',
    ...request
  }: Partial<ToolCallRequest>) =>
    callTool(connectors, {
      user,
      ...(await findTarget(connectors, user, connectorName, toolName)),
      arguments: {},
      approval: 'once',
      signal: new AbortController().signal,
      ...request,
    })
  const { database, builtIns, now } = connectors
  // Stores the tools of Bob's connectors and makes a call, so that his calls beside a hostile server load nothing.
  for (const connector of await syncConnectors(database.db, bob, builtIns, now()))
    await refreshTools(connectors, connector)
  const bobsCalls = new BobsCalls(connectors, call)
  await bobsCalls.callOnce()
  let count = 0
  const connect: HostileScene['connect'] = async (behaviour, query, token) => {
    const name = `${behaviour} ${++count}`
    await connectors.database.db.deleteFrom('connectors').where('user_id', '=', 'ada').execute()
    const url = hostile.url(behaviour, query)
    await connectors.connect('ada', { name, url, ...(token === undefined ? {} : { token }), allow_tools: [] })
    return name
  }
  return {
    hostile,
    connectors,
    call,
    connect,
    async connectError(...request) {
      try {
        await connect(...request)
      } catch (error) {
        return error as AppError
      }
      throw new Error(`${request[0]} connected.`)
    },
    callTo: async (behaviour, rest) => call({ connectorName: await connect(behaviour), ...rest }),
    toolsOf: async (name) =>
      listTools(connectors.database.db, [(await requireConnector(connectors.database.db, ada, name)).id]),
    startBob: () => bobsCalls.start(),
    stopBob: () => bobsCalls.stop(),
    async close() {
      await connectors.close()
      await hostile.close()
    },
  }
}

/** Bob's calls of a tool, one after the other. None of them may fail. */
class BobsCalls {
  readonly #connectors: TestConnectors
  readonly #call: HostileScene['call']
  #ended = new AbortController()
  #work = Promise.resolve()

  constructor(connectors: TestConnectors, call: HostileScene['call']) {
    this.#connectors = connectors
    this.#call = call
  }

  start(): void {
    this.#ended = new AbortController()
    this.#work = this.#callUntil(this.#ended.signal)
  }

  async stop(): Promise<void> {
    this.#ended.abort()
    await this.#work
  }

  async callOnce(): Promise<void> {
    const options = {
      user: bob,
      apiType: 'openai' as const,
      signal: AbortSignal.timeout(5_000),
      onStatus: () => undefined,
    }
    await listModelTools(this.#connectors, options)
    const { text } = await this.#call({
      user: bob,
      connectorName: 'default',
      toolName: 'calculate',
      arguments: { expression: '1 + 1' },
    })
    if (text !== '2') throw new Error(`Bob received "${text}".`)
  }

  async #callUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.callOnce()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

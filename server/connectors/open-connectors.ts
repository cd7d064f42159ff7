import { setMaxListeners } from 'node:events'
import { LRUCache } from 'lru-cache'
import type { Actor } from '../access/access.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { ConnectorToolRow } from '../db/tables/connector-tables.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { EventLoopTurns } from '../lib/event-loop-turns.ts'
import { SingleFlight } from '../lib/single-flight.ts'
import { TokenLeases } from '../lib/token-lease.ts'
import { createBuiltInConnectors, type IntegrationConnectors } from './built-in/built-in-connectors.ts'
import { recordDenial, type DeniedCall } from './calls/call-record-store.ts'
import type { ToolCallRequest } from './calls/call-tool.ts'
import { ArgumentChecker } from './calls/check-arguments.ts'
import type { ToolOutcome } from './calls/tool-call.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { connectorLimits, type ConnectorLimits } from './connector-limits.ts'
import { Backoff } from './mcp/backoff.ts'
import { userPrefix, ConnectionPool } from './mcp/connection-pool.ts'
import { LargeMessageReader } from './responses/large-message-reader.ts'
import { ResponseScheduler } from './responses/response-scheduler.ts'
import { AnnouncedRefreshes } from './tools/announced-refreshes.ts'
import {
  checkDefinition,
  resolveForCall,
  type CheckDefinitionOptions,
  type DefinitionCheck,
} from './tools/check-definition.ts'
import { listModelTools, type ListModelToolsOptions } from './tools/list-model-tools.ts'
import type { ModelTools } from './tools/offer-tools.ts'
import { createCeilings } from './tools/operator-ceilings.ts'
import { resolveTool, type ResolvedTool, type ToolTarget } from './tools/resolve-tool.ts'

/** The dependencies of the app that this domain uses. */
interface AppDeps {
  readonly config: Pick<
    Config,
    'publicUrl' | 'maxCallMs' | 'ceilings' | 'connectorRegistryUrl' | 'connectorClientMetadataUrl'
  >
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly guards: ConnectorDeps['guards']
}

export interface ConnectorOptions {
  /** The connectors of integrations. */
  readonly integrations?: IntegrationConnectors
  readonly limits?: Partial<ConnectorLimits>
  /** Called when a connector was renamed or deleted: bots and chats contain its name. */
  readonly onRenamed?: (userId: string) => void
  /** Called when the visible state of a user's connectors has changed. */
  readonly onChanged: (userId: string) => void
  /** Called when what a user's bots may do without asking has changed. */
  readonly onGrantsChanged?: (userId: string) => void
  /** Called with errors that no user can act on. */
  readonly onError: (error: unknown) => void
}

/** The functions of connectors that other domains use. */
export type Connectors = ReturnType<typeof openConnectors>

/** Connectors that are remembered as unanswered. */
const maxUnanswered = 10_000
/** Connectors whose announcements of other tools are remembered. */
const maxAnnouncing = 10_000
/** Connectors whose accounts are cached. */
const maxCachedAccounts = 1_000
/** Pairs of a user and an API type whose tools are cached in the form for models. */
const maxCachedToolSets = 1_000
/** Characters of all cached tools. */
const maxCachedToolChars = 64_000_000

/**
 * Creates the functions of connectors and what they depend on. Nothing is connected, and the MCP client is not loaded,
 * before it is needed.
 */
export function openConnectors(appDeps: AppDeps, options: ConnectorOptions) {
  const { config, now } = appDeps
  const limits = { ...connectorLimits, maxCallMs: config.maxCallMs, ...options.limits }
  const closing = new AbortController()
  // Every running request adds a listener.
  setMaxListeners(0, closing.signal)
  const argumentChecker = new ArgumentChecker()
  const deps: ConnectorDeps = {
    database: appDeps.database,
    sealer: appDeps.sealer,
    now,
    settings: {
      limits,
      ceilings: createCeilings(config.ceilings),
      publicUrl: config.publicUrl,
      clientMetadataUrl: config.connectorClientMetadataUrl,
      registryUrl: config.connectorRegistryUrl,
    },
    builtIns: createBuiltInConnectors(now, options.integrations),
    guards: appDeps.guards,
    shared: {
      pool: new ConnectionPool(limits),
      backoff: new Backoff(now),
      unanswered: new LRUCache({ max: maxUnanswered }),
      callLimiter: new ConcurrencyLimiter(),
      turns: new EventLoopTurns(),
      responseScheduler: new ResponseScheduler(),
      largeMessageReader: new LargeMessageReader(),
      tokenLeases: new TokenLeases({ now, closing: closing.signal }),
      toolRefreshes: new SingleFlight(),
      announcedRefreshes: new AnnouncedRefreshes({
        minPauseMs: limits.minAnnouncedPauseMs,
        maxPauseMs: limits.maxAnnouncedPauseMs,
        async refresh(announcement) {
          const { refreshAnnounced } = await import('./tools/refresh-tools.ts')
          await refreshAnnounced(deps, announcement)
        },
        onError: options.onError,
        closing: closing.signal,
      }),
      announcedAt: new LRUCache({ max: maxAnnouncing }),
      registryReads: new SingleFlight(),
      accounts: new LRUCache({ max: maxCachedAccounts }),
      adaptedTools: new LRUCache({
        max: maxCachedToolSets,
        maxSize: maxCachedToolChars,
        sizeCalculation: ({ state, adapted }) => state.length + adapted.chars,
      }),
    },
    onRenamed: options.onRenamed ?? (() => undefined),
    onChanged: options.onChanged,
    onGrantsChanged: options.onGrantsChanged ?? (() => undefined),
    closing: closing.signal,
    onError: options.onError,
  }
  return {
    deps,
    listModelTools: (request: ListModelToolsOptions): Promise<ModelTools> => listModelTools(deps, request),
    /** Looks up the tool that a call names and decides whether the call needs approval. */
    resolveTool: (user: Actor, target: ToolTarget): Promise<ResolvedTool> => resolveTool(deps, user, target),
    /** As `resolveTool`, for a call that is about to run: see `check-definition.ts`. */
    resolveForCall: (user: Actor, target: ToolTarget, signal: AbortSignal): Promise<ResolvedTool> =>
      resolveForCall(deps, user, target, signal),
    /** Reads a tool's definition again if the stored one is older than some seconds. Call it before an approved call. */
    checkDefinition: (
      user: Actor,
      target: Pick<ToolTarget, 'connectorId'>,
      options: CheckDefinitionOptions,
    ): Promise<DefinitionCheck> => checkDefinition(deps, user, target, options),
    /** Returns a text about arguments that the tool does not accept, else undefined. */
    checkArguments: (
      user: Actor,
      tool: ConnectorToolRow,
      callArguments: string,
      signal: AbortSignal,
    ): Promise<string | undefined> => argumentChecker.check(user.id, tool, callArguments, signal),
    async callTool(request: ToolCallRequest): Promise<ToolOutcome> {
      const { callTool } = await import('./calls/call-tool.ts')
      return callTool(deps, request)
    },
    /** Records a call that was denied, or has expired. */
    recordDenial: (user: Actor, call: DeniedCall): Promise<void> => recordDenial(deps, user, call),
    /** Closes a user's idle connections; the next request opens a new one. */
    closeIdle: (userId: string): Promise<void> => deps.shared.pool.drop(userPrefix(userId)),
    /** Revokes the tokens of all connectors of a user, and disconnects the connectors that had tokens. */
    async revokeTokens(userId: string): Promise<void> {
      const { revokeAllGrants } = await import('./oauth/revoke-grant.ts')
      await revokeAllGrants(deps, { id: userId })
      await deps.shared.pool.drop(userPrefix(userId))
    },
    /** Closes every connection and aborts running work. Call it before the guards and the database close. */
    async close(): Promise<void> {
      closing.abort(new Error('The server shuts down.'))
      await deps.shared.pool.close()
      deps.shared.largeMessageReader.close()
      argumentChecker.close()
    },
  }
}

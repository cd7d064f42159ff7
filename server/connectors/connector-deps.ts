import type { ConnectorAccount } from '@yonder/contract/connector'
import type { LRUCache } from 'lru-cache'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import type { EventLoopTurns } from '../lib/event-loop-turns.ts'
import type { SingleFlight } from '../lib/single-flight.ts'
import type { TokenLeases } from '../lib/token-lease.ts'
import type { BuiltInConnectors } from './built-in/built-in-connectors.ts'
import type { ConnectorLimits } from './connector-limits.ts'
import type { Backoff } from './mcp/backoff.ts'
import type { ConnectionPool } from './mcp/connection-pool.ts'
import type { LargeMessageReader } from './responses/large-message-reader.ts'
import type { ResponseScheduler } from './responses/response-scheduler.ts'
import type { AdaptedTools } from './tools/adapt-tools.ts'
import type { AnnouncedRefreshes, ToolsAnnouncement } from './tools/announced-refreshes.ts'
import type { OperatorCeilings } from './tools/operator-ceilings.ts'

/** The dependencies of this domain's functions. Created in `open-connectors.ts`. */
export interface ConnectorDeps {
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly settings: ConnectorSettings
  readonly builtIns: BuiltInConnectors
  /**
   * Outgoing fetches, by who supplied the address: a user, a server, or the operator.
   */
  readonly guards: Readonly<Record<'userSupplied' | 'serverSupplied' | 'operatorSupplied', GuardedFetch>>
  readonly shared: SharedState
  /** Called when a connector was renamed or deleted: bots and chats contain its name. */
  readonly onRenamed: (userId: string) => void
  /** Called when the visible state of a user's connectors has changed. */
  readonly onChanged: (userId: string) => void
  /** Called when what a user's bots may do without asking has changed. */
  readonly onGrantsChanged: (userId: string) => void
  /** Aborted when the process shuts down. */
  readonly closing: AbortSignal
  /** Called with errors that no user can act on. */
  readonly onError: (error: unknown) => void
}

export interface ConnectorSettings {
  readonly limits: ConnectorLimits
  /** What the operator does not let users allow. */
  readonly ceilings: OperatorCeilings
  /** The origin that users open, without a path. */
  readonly publicUrl: string
  /** The URL of our published client metadata document for authorization servers; null when it is not published. */
  readonly clientMetadataUrl: string | null
  /** The URL of the connector registry; null means that only the shipped list is shown. */
  readonly registryUrl: string | null
}

/** State that all requests of one process share. */
export interface SharedState {
  readonly pool: ConnectionPool
  readonly backoff: Backoff
  /** The connectors, by `connectionKey`, that a reply has waited for in vain and that have not answered since. */
  readonly unanswered: LRUCache<string, true>
  readonly callLimiter: ConcurrencyLimiter
  /** Turns of the event loop for work that many callers may have at the same moment. */
  readonly turns: EventLoopTurns
  readonly responseScheduler: ResponseScheduler
  readonly largeMessageReader: LargeMessageReader
  /** Each refresh returns whether there are new tokens. */
  readonly tokenLeases: TokenLeases<boolean>
  readonly toolRefreshes: SingleFlight<void>
  readonly announcedRefreshes: AnnouncedRefreshes<ToolsAnnouncement>
  /** When the server of a connector, by `connectionKey`, last announced other tools, in milliseconds since 1970. */
  readonly announcedAt: LRUCache<string, number>
  readonly registryReads: SingleFlight<void>
  /** The accounts of connectors, by `credentialIdOf`. */
  readonly accounts: LRUCache<string, ConnectorAccount>
  /** Caches the tools of a user in the form for models, with the state of the connectors that they are based on. */
  readonly adaptedTools: LRUCache<string, { readonly state: string; readonly adapted: AdaptedTools }>
}

import type { LRUCache } from 'lru-cache'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import type { SingleFlight } from '../lib/single-flight.ts'
import type { TokenLeases } from '../lib/token-lease.ts'
import type { BuiltInConnectors } from './built-in/built-in-connectors.ts'
import type { ConnectorLimits } from './connector-limits.ts'
import type { Backoff } from './mcp/backoff.ts'
import type { ConnectionPool } from './mcp/connection-pool.ts'
import type { ModelTools } from './tools/offer-tools.ts'

/** What the files of this folder share; `open-connectors.ts` creates it. */
export interface ConnectorDeps {
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly settings: ConnectorSettings
  readonly builtIns: BuiltInConnectors
  /** Outgoing fetches: to addresses that a user entered, that a server named, and that the operator configured. */
  readonly guards: Readonly<Record<'userSupplied' | 'serverSupplied' | 'operatorSupplied', GuardedFetch>>
  readonly shared: SharedState
  /** Called when a user's connectors look different now. */
  readonly onChanged: (userId: string) => void
  /** Aborted when the process shuts down. */
  readonly closing: AbortSignal
  /** Called with errors that no user can act on. */
  readonly onError: (error: unknown) => void
}

export interface ConnectorSettings {
  readonly limits: ConnectorLimits
  /** The origin that users open, without a path. */
  readonly publicUrl: string
  /** Where our client document for authorization servers is published; null when it is not. */
  readonly clientMetadataUrl: string | null
  /** The catalogue's address; null means that only the shipped list is shown. */
  readonly registryUrl: string | null
}

/** What the requests of one process share. */
export interface SharedState {
  readonly pool: ConnectionPool
  readonly backoff: Backoff
  readonly callLimiter: ConcurrencyLimiter
  readonly tokenLeases: TokenLeases<boolean>
  readonly toolRefreshes: SingleFlight<void>
  readonly registryReads: SingleFlight<void>
  /** The tools that a user's models are offered, with the state of the connectors that they were made from. */
  readonly offeredTools: LRUCache<string, { readonly state: string; readonly offered: ModelTools }>
}

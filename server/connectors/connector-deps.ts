import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { BuiltInConnectors } from './built-in/built-in-connectors.ts'
import type { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import type { SingleFlight } from '../lib/single-flight.ts'
import type { TokenLeases } from '../lib/token-lease.ts'
import type { ConnectorLimits } from './connector-limits.ts'
import type { ConnectionPool } from './mcp/connection-pool.ts'
import type { ModelTools } from './tools/offer-tools.ts'
import type { RetryGate } from './mcp/backoff.ts'

/** What the files of this folder share; `open-connectors.ts` makes it. */
export interface ConnectorDeps {
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly limits: ConnectorLimits
  readonly builtIns: BuiltInConnectors
  readonly pool: ConnectionPool
  readonly retries: RetryGate
  readonly slots: ConcurrencyLimiter
  readonly tokenLeases: TokenLeases<boolean>
  readonly toolRefreshes: SingleFlight<void>
  readonly registryReads: SingleFlight<void>
  /** What models were told of a person's tools, and of which state of their connectors that was made. */
  readonly offers: Map<string, { readonly state: string; readonly offered: ModelTools }>
  /** The ways out: to what a person typed, what a server named, and what the operator set. */
  readonly guards: Readonly<Record<'userSupplied' | 'serverSupplied' | 'operatorSupplied', GuardedFetch>>
  /** The origin people use, without a path. */
  readonly publicUrl: string
  /** Where our client document for authorization servers is published; null when it is not. */
  readonly clientMetadataUrl: string | null
  /** The catalogue's address; null means that only the shipped list is shown. */
  readonly registryUrl: string | null
  /** Called when a person's connectors read differently now. */
  readonly onChanged: (userId: string) => void
  /** Aborted when the process goes down. */
  readonly closing: AbortSignal
  /** For what a person cannot act on. */
  readonly onError: (error: unknown) => void
}

import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/seal-secret.ts'
import { createBuiltInConnectors } from './built-in/built-in-connectors.ts'
import type { BuiltInConnector } from './built-in/built-in-connectors.ts'
import { CallSlots } from './call-slots.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { connectorLimits } from './connector-limits.ts'
import type { ConnectorLimits } from './connector-limits.ts'
import { ConnectionPool } from './mcp/connection-pool.ts'
import { RetryGate } from './retry-gate.ts'

export interface ConnectorOptions {
  readonly config: Pick<Config, 'publicUrl' | 'connectorRegistryUrl' | 'connectorClientMetadataUrl'>
  readonly database: Database
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly guards: ConnectorDeps['guards']
  /** Connectors that other domains bring along. */
  readonly builtIns?: readonly BuiltInConnector[]
  readonly limits?: Partial<ConnectorLimits>
  /** For what a person cannot act on. */
  readonly onError: (error: unknown) => void
}

export interface Connectors extends ConnectorDeps {
  /** Ends every connection and everything that is under way. Call it before the guards and the database close. */
  close(): Promise<void>
}

/** Makes what connectors work with. Nothing is connected before somebody needs it. */
export function openConnectors(options: ConnectorOptions): Connectors {
  const { config, now } = options
  const limits = { ...connectorLimits, ...options.limits }
  const closing = new AbortController()
  const pool = new ConnectionPool({ idle: limits.idle, most: limits.pooled })
  return {
    database: options.database,
    sealer: options.sealer,
    now,
    limits,
    builtIns: createBuiltInConnectors(now, options.builtIns),
    pool,
    retries: new RetryGate(now),
    slots: new CallSlots(),
    refreshing: new Map(),
    guards: options.guards,
    publicUrl: config.publicUrl,
    clientMetadataUrl: config.connectorClientMetadataUrl,
    registryUrl: config.connectorRegistryUrl,
    closing: closing.signal,
    onError: options.onError,
    async close() {
      closing.abort(new Error('The server goes down.'))
      await pool.close()
    },
  }
}

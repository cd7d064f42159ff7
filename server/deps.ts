import type { Registry } from 'prom-client'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import type { Sealer } from './db/secrets/seal-secret.ts'
import type { Identity } from './identity/identity.ts'
import type { Guards } from './http/outgoing/guards.ts'

/** What `main.ts` opens and `createApp` composes; tests open the same things in their own way. */
export interface Deps {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly identity: Identity
  readonly guards: Guards
  /** Where the built-in demo model is served. */
  readonly demoBaseUrl: string
  /** Names this process among those that share the database. */
  readonly nodeId: string
  readonly metrics: Registry
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Where the built browser app lies. */
  readonly webRoot: string
}

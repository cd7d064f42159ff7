import type { Registry } from 'prom-client'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Sealer } from './db/seal-secret.ts'
import type { Identity } from './identity/identity.ts'

/** What `main.ts` opens and `createApp` composes; tests open the same things in their own way. */
export interface Deps {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly identity: Identity
  readonly metrics: Registry
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Where the built browser app lies. */
  readonly webRoot: string
}

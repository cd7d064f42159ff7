import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import type { ModelLimits } from './model-limits.ts'

/** What every adapter works with. */
export interface AdapterDeps {
  /** The way out, under the policy for whoever named the address. */
  readonly guard: GuardedFetch
  readonly limits?: ModelLimits
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

import type { Config, SettingProblem } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { Guards } from '../../http/outgoing/guarded-fetch.ts'

/** The result of a check. The message says what to mend, unless all is well. */
export interface Finding {
  readonly check: CheckName
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
}

export type CheckName =
  | 'settings'
  | 'program'
  | 'data folder'
  | 'database'
  | 'key'
  | 'clock'
  | 'addresses'
  | 'proxy'
  | 'model'
  | 'sign-in'

/** What checks examine. They fill in what later ones need. */
export interface Patient {
  /** A wrong setting counts as unset. */
  readonly config: Config
  readonly problems: readonly SettingProblem[]
  readonly guards: Guards
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly progress: (text: string) => void
  /** Null while the database cannot be read, or has other tables than this version. */
  database: Database | null
  /** Null without the right key. */
  sealer: Sealer | null
  /** Whether a server of Yonder responds at the port. */
  isServing: boolean
}

type Report = Omit<Finding, 'check'>

/** Checks of one subject. They need not catch what they do not expect. */
export interface Check {
  readonly name: CheckName
  run(patient: Patient): Promise<readonly Report[]> | readonly Report[]
}

export const ok = (message: string): Report => ({ status: 'ok', message })
export const warning = (message: string): Report => ({ status: 'warning', message })
export const problem = (message: string): Report => ({ status: 'problem', message })

export type { Report }

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The innermost cause, because `fetch` and others wrap it in "fetch failed". */
export function reasonOf(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  return messageOf(inner)
}

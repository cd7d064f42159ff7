import type { Config, SettingProblem } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { Guards } from '../../http/outgoing/guarded-fetch.ts'

/** The result of a check. The message of a warning or a problem should say what to fix. */
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

/** What the checks examine. Earlier checks fill in what later ones need. */
export interface CheckContext {
  /** A setting that cannot be parsed counts as unset. */
  readonly config: Config
  readonly problems: readonly SettingProblem[]
  /** The settings in `.env` that have no effect there. */
  readonly ignored: readonly string[]
  readonly guards: Guards
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly progress: (text: string) => void
  /** Null when there is none that this version can use. */
  database: Database | null
  /** Null without the database or the right key. */
  sealer: Sealer | null
  /** Whether a server of Yonder responds at the port. */
  isServing: boolean
}

/** A finding without the name of its check, which `examine` adds. */
export type Report = Omit<Finding, 'check'>

/** The checks of one subject. `examine` catches unexpected errors. */
export interface Check {
  readonly name: CheckName
  run(context: CheckContext): Promise<readonly Report[]> | readonly Report[]
}

export const ok = (message: string): Report => ({ status: 'ok', message })
export const warning = (message: string): Report => ({ status: 'warning', message })
export const problem = (message: string): Report => ({ status: 'problem', message })

/** Returns a warning that nothing was checked if one of these settings is wrong, else an empty list. */
export function reportUnchecked(
  { problems }: Pick<CheckContext, 'problems'>,
  settings: readonly string[],
): Report[] {
  const wrong = problems.find(({ name }) => settings.includes(name))
  return wrong === undefined ? [] : [warning(`Not checked, because ${wrong.name} is wrong.`)]
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The message of the innermost cause. That of the error itself may say little, such as "fetch failed". */
export function reasonOf(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  // Node reports a host with several addresses as an AggregateError without a text.
  return messageOf(inner instanceof AggregateError ? inner.errors[0] : inner)
}

import type { Config, SettingProblem } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { Guards } from '../../http/outgoing/guarded-fetch.ts'

/** The result of a check. The message of a warning or a problem should say what to fix. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
}

/** What the checks examine. Earlier checks fill in what later ones need. */
export interface CheckContext {
  /** A setting that cannot be parsed counts as unset. */
  readonly config: Config
  readonly problems: readonly SettingProblem[]
  /** A sentence for each setting that has no effect. */
  readonly settingWarnings: readonly string[]
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

/** Collects what a check finds. */
export type Report = Readonly<Record<Finding['status'], (message: string) => void>>

/** The checks of one subject. `examine` catches unexpected errors. */
export interface Check {
  readonly name: string
  /** When one of these settings is wrong, `examine` reports that nothing was checked. */
  readonly settings?: readonly string[]
  /** Returns the message for when it has reported nothing. */
  run(context: CheckContext, report: Report): Promise<string | undefined> | string | undefined
}

/** Reports that nothing was checked and returns true if one of these settings is wrong. */
export function reportUnchecked(
  { problems }: Pick<CheckContext, 'problems'>,
  settings: readonly string[],
  report: Report,
): boolean {
  const wrong = problems.find(({ name }) => settings.includes(name))
  if (wrong !== undefined) report.warning(`Not checked, because ${wrong.name} is wrong.`)
  return wrong !== undefined
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

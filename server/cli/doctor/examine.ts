import { readFileSync } from 'node:fs'
import { inspectConfig, type Config, type SettingProblem, type Environment } from '../../config/config.ts'
import { readMachine } from '../../config/machine.ts'
import { openGuards } from '../../http/outgoing/guarded-fetch.ts'
import { authorityPathIn } from '../../tls/open-tls.ts'
import { addressCheck } from './address-check.ts'
import { clockCheck } from './clock-check.ts'
import { databaseCheck } from './database-check.ts'
import { messageOf, reportUnchecked, type Check, type CheckContext, type Finding } from './finding.ts'
import { folderCheck } from './folder-check.ts'
import { keyCheck } from './key-check.ts'
import { programCheck } from './program-check.ts'
import { modelCheck } from './provider-checks.ts'
import { proxyCheck } from './proxy-check.ts'
import { settingsCheck } from './settings-check.ts'
import { signInCheck } from './sign-in-check.ts'

/** In this order: a check uses what earlier ones have found, and reports when that is missing. */
const checks: readonly Check[] = [
  settingsCheck,
  programCheck,
  folderCheck,
  databaseCheck,
  keyCheck,
  clockCheck,
  addressCheck,
  proxyCheck,
  modelCheck,
  signInCheck,
]

export interface ExamineOptions {
  /** Problems of reading the environment itself. */
  readonly problems?: readonly SettingProblem[]
  /** A sentence for each setting that has no effect. */
  readonly settingWarnings?: readonly string[]
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly progress?: (text: string) => void
}

/** Runs all checks, also after one has failed. They change nothing but the token of `proxyCheck`. */
export async function examine(
  environment: Environment,
  { problems = [], settingWarnings = [], now = Date.now, progress = () => undefined }: ExamineOptions = {},
): Promise<Finding[]> {
  const inspected = inspectConfig(environment, readMachine())
  const context: CheckContext = {
    config: inspected.config,
    problems: [...problems, ...inspected.problems],
    settingWarnings,
    guards: openGuards(inspected.config.outgoing, {
      authorities: listAuthorities(inspected.config, environment),
    }),
    now,
    progress,
    database: null,
    sealer: null,
    isServing: false,
  }
  const findings: Finding[] = []
  try {
    for (const check of checks) {
      progress(`Checking: ${check.name}`)
      findings.push(...(await runCheck(check, context)))
    }
  } finally {
    await context.database?.close()
    await context.guards.close()
  }
  return findings
}

/**
 * The authority that the server has made with `TLS=local`, which does not exist before the first start. The authorities
 * in `NODE_EXTRA_CA_CERTS` are listed too, because a list of authorities replaces them.
 */
function listAuthorities({ tls, dataDir }: Config, environment: Environment): readonly string[] {
  const own = tls?.kind === 'local' ? readIfPossible(authorityPathIn(dataDir)) : []
  return own.length === 0 ? [] : [...own, ...readIfPossible(environment['NODE_EXTRA_CA_CERTS'] ?? '')]
}

function readIfPossible(path: string): readonly string[] {
  try {
    return [readFileSync(path, 'utf8')]
  } catch {
    return []
  }
}

async function runCheck(check: Check, context: CheckContext): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const reportAs = (status: Finding['status']) => (message: string) =>
    void findings.push({ check: check.name, status, message })
  const report = { ok: reportAs('ok'), warning: reportAs('warning'), problem: reportAs('problem') }
  try {
    if (reportUnchecked(context, check.settings ?? [], report)) return findings
    const fine = await check.run(context, report)
    if (findings.length === 0 && fine !== undefined) report.ok(fine)
  } catch (error) {
    report.problem(`The check failed unexpectedly: ${messageOf(error)}`)
  }
  return findings
}

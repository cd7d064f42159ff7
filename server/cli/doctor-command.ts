import { readEnvironment } from '../config/config.ts'
import { toVisibleLine } from '../lib/text.ts'
import type { Cli } from './cli.ts'
import type { Finding } from './doctor/finding.ts'

/** Adds `yonder doctor`. */
export function addDoctorCommand({ program, terminal, settings, setExitCode }: Cli): void {
  program
    .command('doctor')
    .description('check the installation and say what to fix')
    .addHelpText(
      'after',
      `
It checks the settings, the program, the data folder, the database, its key, the clock, the addresses, the proxy, the
model provider and the sign-in. The exit code is 1 when there is a problem. Run it as the user of the server, with the
same settings, whether the server runs or not.

Example:
  yonder doctor --json`,
    )
    .action(async () => {
      // Loaded on demand, because other commands need none of it.
      const { examine } = await import('./doctor/examine.ts')
      const { environment, problem, warnings } = readEnvironment(settings())
      const findings = await examine(environment, {
        problems: problem === null ? [] : [problem],
        settingWarnings: warnings,
        progress: terminal.progress,
      })
      terminal.print({ text: describe(findings), data: findings })
      if (findings.some(({ status }) => status === 'problem')) setExitCode(1)
    })
}

/** A line for each finding, and one that sums them up. */
function describe(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ check, status, message }) => `${status.padEnd(8)} ${check.padEnd(12)} ${toVisibleLine(message)}`,
  )
  const countOf = (status: Finding['status']) => findings.filter((one) => one.status === status).length
  const [problems, warnings] = [countOf('problem'), countOf('warning')]
  const sum =
    problems + warnings === 0
      ? 'No problems were found.'
      : `${problems} ${problems === 1 ? 'problem' : 'problems'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`
  return [...lines, '', sum].join('\n')
}

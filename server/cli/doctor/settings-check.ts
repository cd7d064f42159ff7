import { describeProblem } from '../../config/config.ts'
import { ok, problem, warning, type Check } from './finding.ts'

/** Every wrong setting, a file `.env` that cannot be read, and what has no effect in it. */
export const settingsCheck: Check = {
  name: 'settings',
  run({ problems, ignored }) {
    const findings = [
      ...problems.map((one) =>
        problem(
          `${describeProblem(one)}.${one.name === '.env' ? '' : ' docs/operations/settings.md describes the setting.'}`,
        ),
      ),
      ...ignored.map((name) =>
        warning(
          `${name} has no effect in .env, because Node reads it only when it starts. Set it in the environment of the server.`,
        ),
      ),
    ]
    return findings.length > 0 ? findings : [ok('All settings can be used.')]
  },
}

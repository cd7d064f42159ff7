import { describeProblem } from '../../config/config.ts'
import type { Check } from './finding.ts'

/** Every wrong setting, a file `.env` that cannot be read, and what has no effect in it. */
export const settingsCheck: Check = {
  name: 'settings',
  run({ problems, ignored }, report) {
    for (const one of problems)
      report.problem(
        `${describeProblem(one)}.${one.name === '.env' ? '' : ' docs/operations/settings.md describes the setting.'}`,
      )
    for (const name of ignored)
      report.warning(
        `${name} has no effect in .env, because Node reads it only when it starts. Set it in the environment of the server.`,
      )
    return 'All settings can be used.'
  },
}

import { describeProblem } from '../../config/config.ts'
import type { Check } from './finding.ts'

/** Every wrong setting, a file `.env` that cannot be read, and what has no effect. */
export const settingsCheck: Check = {
  name: 'settings',
  run({ problems, settingWarnings }, report) {
    for (const one of problems)
      report.problem(
        `${describeProblem(one)}.${one.name === '.env' ? '' : ' docs/operations/settings.md describes the setting.'}`,
      )
    settingWarnings.forEach(report.warning)
    return 'All settings can be used.'
  },
}

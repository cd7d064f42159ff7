import { describeProblem } from '../../config/config.ts'
import { ok, problem } from './finding.ts'
import type { Check } from './finding.ts'

/** Every wrong setting, and a file `.env` that cannot be read (§22.8). */
export const settingsCheck: Check = {
  name: 'settings',
  run: ({ problems }) =>
    problems.length === 0
      ? [ok('All settings can be used.')]
      : problems.map((one) =>
          problem(
            `${describeProblem(one)}.${one.name === '.env' ? '' : ' docs/settings.md describes the setting.'}`,
          ),
        ),
}

import type { DefaultBotReport, DefaultBotState } from '../bots/update-default-bots.ts'
import { withInstallation, type Cli } from './cli.ts'
import { formatTable } from './format-table.ts'

interface UpdateOptions {
  readonly add?: boolean
  readonly remove?: boolean
  readonly force?: boolean
  readonly dryRun?: boolean
}

/** Adds `yonder bots`, which works also while the server runs. */
export function addBotCommands(cli: Cli): void {
  const { terminal } = cli
  const bots = cli.program
    .command('bots')
    .description('show the default bots (DEFAULT_BOTS), and change those that users have')
  bots
    .command('list')
    .description('show the default bots, and how many users have each of them as it is now')
    .action(() => update(cli, {}, []))
  bots
    .command('update')
    .description('give the default bots of now to users who have an unchanged copy of an earlier one')
    .option('--add', 'also give each default bot to users who have none of its name')
    .option('--remove', 'also delete unchanged copies of bots that are no longer in DEFAULT_BOTS')
    .option('--force', 'also replace bots of these names that users have changed or made')
    .option('--dry-run', 'change nothing, and show what would be changed')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
Change DEFAULT_BOTS first, in the settings of the server, which new users get their bots from.

Example:
  yonder bots update --add`,
    )
    .action(async (options: UpdateOptions) => {
      const states: DefaultBotState[] = ['outdated']
      if (options.add === true) states.push('missing')
      if (options.remove === true) states.push('withdrawn')
      if (options.force === true) states.push('changed')
      if (options.dryRun !== true && (options.remove === true || options.force === true))
        await terminal.confirm(
          `This ${options.remove === true ? 'deletes' : 'replaces'} bots of users. It cannot be undone.`,
        )
      await update(cli, options, states)
    })
}

async function update(
  cli: Cli,
  { dryRun = false }: UpdateOptions,
  states: readonly DefaultBotState[],
): Promise<void> {
  // Loaded on demand, because other commands need none of it.
  const { updateDefaultBots } = await import('../bots/update-default-bots.ts')
  const { listConnectors } = await import('../connectors/connector-store.ts')
  const reports = await withInstallation(cli, (installation) =>
    updateDefaultBots(
      {
        ...installation,
        now: Date.now,
        listConnectors,
        onProgress: (done, total) => cli.terminal.progress(`User ${done} of ${total}`),
      },
      new Set(dryRun ? [] : states),
    ),
  )
  const data = reports.map(({ name, model, users, done }) => ({ name, model, ...users, done }))
  cli.terminal.print({ text: describe(reports, states, dryRun), data })
}

function describe(
  reports: readonly DefaultBotReport[],
  states: readonly DefaultBotState[],
  dryRun: boolean,
): string {
  if (reports.length === 0) return 'There are no default bots: DEFAULT_BOTS is not set, or is empty.'
  const sum = (state: DefaultBotState) => reports.reduce((total, { users }) => total + users[state], 0)
  const notes = [
    note(
      sum('outdated'),
      states.includes('outdated'),
      dryRun,
      'unchanged copies of an earlier default bot',
      'yonder bots update replaces them.',
    ),
    note(
      sum('missing'),
      states.includes('missing'),
      dryRun,
      'users without the bot',
      '--add gives it to them.',
    ),
    note(
      sum('withdrawn'),
      states.includes('withdrawn'),
      dryRun,
      'unchanged copies of what is no longer in DEFAULT_BOTS',
      '--remove deletes them.',
    ),
    note(
      sum('changed'),
      states.includes('changed'),
      dryRun,
      'bots that users have changed or made',
      'They are kept; --force replaces them.',
    ),
  ].filter((text) => text !== '')
  const table = formatTable([
    ['NAME', 'MODEL', 'CURRENT', 'OUTDATED', 'CHANGED', 'MISSING', 'WITHDRAWN'],
    ...reports.map(({ name, model, users }) => [
      name,
      model ?? '-',
      users.current,
      users.outdated,
      users.changed,
      users.missing,
      users.withdrawn,
    ]),
  ])
  return [table, ...notes].join('\n')
}

/** A line about one state, if any user has it. */
function note(count: number, isChosen: boolean, dryRun: boolean, what: string, advice: string): string {
  if (count === 0) return ''
  const outcome = isChosen ? (dryRun ? 'Would be brought up to date.' : 'Brought up to date.') : advice
  return `${count.toLocaleString('en')} ${what}. ${outcome}`
}

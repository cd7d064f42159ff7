import { Option } from 'commander'
import { withInstallation, type Cli } from './cli.ts'
import { formatTable } from './format-table.ts'

interface UsageOptions {
  readonly from?: string
  readonly to?: string
  readonly timeZone: string
  readonly csv?: boolean
}

/** Adds `yonder usage`, which works also while the server runs. */
export function addUsageCommand(cli: Cli): void {
  cli.program
    .command('usage')
    .description('show the tokens and costs of all users by model; this month by default')
    .option('--from <day>', 'the first day, such as 2026-11-01')
    .option('--to <day>', 'the last day; today by default')
    .option(
      '--time-zone <zone>',
      'the time zone of the days, such as Europe/Berlin; by default that of this machine',
      Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
    .addOption(new Option('--csv', 'print a CSV file').conflicts('json'))
    .addHelpText('after', '\nExample:\n  yonder usage --from 2026-11-01 --to 2026-11-30 --csv > november.csv')
    .action(async ({ from, to, timeZone, csv = false }: UsageOptions) => {
      // Loaded on demand, because other commands need none of it.
      const { listUsageDays, todayIn } = await import('../usage/usage-days.ts')
      const { sumUsageOfUsers } = await import('../usage/usage-store.ts')
      const { addUp } = await import('../usage/present-usage.ts')
      const last = to ?? todayIn(timeZone)
      const query = { from: from ?? `${last.slice(0, '2026-11'.length)}-01`, to: last, time_zone: timeZone }
      const days = listUsageDays(query)
      const sums = await withInstallation(cli, ({ database }) =>
        sumUsageOfUsers(database.db, { start: days[0]?.start ?? 0, end: days.at(-1)?.end ?? 0 }),
      )
      if (csv) {
        const { writeUserUsageCsv } = await import('../usage/usage-csv.ts')
        // `print` ends the last line.
        cli.terminal.print({ text: writeUserUsageCsv(sums).slice(0, -1), data: null })
        return
      }
      const users = sums.map((one) => ({
        id: one.user_id,
        email: one.email,
        model: one.model,
        ...addUp([one]),
      }))
      const total = addUp(sums)
      const toRow = (who: string, model: string, one: typeof total) => [
        who,
        model,
        one.calls,
        one.input_tokens,
        one.output_tokens,
        one.costs.map(({ amount, currency }) => `${amount} ${currency}`).join(' + ') || '-',
      ]
      const text =
        users.length === 0
          ? `No model was called from ${query.from} to ${query.to}.`
          : formatTable([
              ['USER', 'MODEL', 'CALLS', 'INPUT TOKENS', 'OUTPUT TOKENS', 'COST'],
              ...users.map((one) => toRow(one.email ?? one.id, one.model, one)),
              toRow('all', '', total),
            ])
      const unknown =
        total.unpriced_calls === 0
          ? ''
          : `\nCalls without a known cost: ${total.unpriced_calls.toLocaleString('en')}`
      cli.terminal.print({ text: text + unknown, data: { ...query, users, total } })
    })
}

import { runUserCommand } from '../identity/users/user-command.ts'
import { withInstallation } from './cli.ts'
import type { Cli } from './cli.ts'

/** Adds `yonder users`, which manages users also while the server runs. */
export function addUserCommands(cli: Cli): void {
  const { terminal } = cli
  const users = cli.program.command('users').description('list, reset, disable, enable and delete users')
  const run = async (yes: boolean, ...words: readonly string[]) => {
    const text = await withInstallation(cli, (installation) =>
      runUserCommand({ ...installation, now: Date.now }, words, { yes }),
    )
    terminal.print({ text, data: { text } })
  }
  users
    .command('list')
    .description('show all users with e-mail, status and last use')
    .action(() => run(false, 'list'))
  users
    .command('reset <user>')
    .description('print a link with which the user chooses a new password')
    .action((user: string) => run(false, 'reset', user))
  users
    .command('disable <user>')
    .description('end everything of the user and refuse new sign-ins; keep the data')
    .action((user: string) => run(false, 'disable', user))
  users
    .command('enable <user>')
    .description('let a disabled user sign in again')
    .action((user: string) => run(false, 'enable', user))
  users
    .command('delete <user>')
    .description('delete the user with all data')
    .option('--yes', 'do not ask')
    .action(async (user: string) => {
      await terminal.confirm(
        `This deletes ${user} with all chats, bots, connectors and shared links. It cannot be undone.`,
      )
      await run(true, 'delete', user)
    })
}

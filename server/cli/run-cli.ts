import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config/config.ts'
import { AppError } from '../lib/app-error.ts'
import type { Cli } from './cli.ts'
import { addStartCommand } from './start-command.ts'
import { CommandError, openTerminal } from './terminal.ts'
import { addUserCommands } from './user-commands.ts'
import { addVersionCommand } from './version-command.ts'

/** The options of every command. */
interface CommonOptions {
  readonly json?: boolean
  readonly yes?: boolean
  readonly data?: string
}

/**
 * Runs the command `yonder` with these arguments and returns its exit code: 0 when it succeeded, 1 when it failed, 2 when
 * it was called in a wrong way. Errors are printed on standard error, and with `--json` as `{"error":{"message":…}}` on
 * standard output.
 */
export async function runCli(parameters: readonly string[]): Promise<number> {
  let options: CommonOptions = {}
  const program = new Command('yonder')
  const cli: Cli = {
    program,
    terminal: openTerminal(() => options),
    settings: () => ({ DATA_DIR: options.data }),
  }
  program
    .description('Yonder is a self-hostable chat application. Without a command it starts the server.')
    .exitOverride()
    .hook('preAction', (_, command) => {
      options = command.opts<CommonOptions>()
    })
  addStartCommand(cli)
  addUserCommands(cli)
  addVersionCommand(cli)
  for (const command of listCommands(program)) {
    command
      .option('--json', 'print the result or the error as JSON, on one line')
      .option('--data <folder>', 'the folder of the database and its key (DATA_DIR)')
      .showHelpAfterError(`Usage: yonder ${command.usage()}`)
  }
  try {
    await program.parseAsync(parameters, { from: 'user' })
    return 0
  } catch (error) {
    return reportError(error, parameters.includes('--json'))
  }
}

function listCommands(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...listCommands(child)])
}

/** Prints the error and returns the exit code. Commander has already printed its own errors. */
function reportError(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const isExpected =
    error instanceof CommandError || error instanceof ConfigError || error instanceof AppError
  const message = error instanceof Error ? error.message : String(error)
  if (json) process.stdout.write(`${JSON.stringify({ error: { message } })}\n`)
  else process.stderr.write(`${isExpected || !(error instanceof Error) ? message : error.stack}\n`)
  return error instanceof CommandError ? error.exitCode : 1
}

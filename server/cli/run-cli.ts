import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config/config.ts'
import { AppError } from '../lib/app-error.ts'
import { addBackupCommands } from './backup-commands.ts'
import { addBotCommands } from './bot-commands.ts'
import type { Cli } from './cli.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { addKeyCommand } from './key-command.ts'
import { addStartCommand } from './start-command.ts'
import { CommandError, openTerminal, type Streams, type Terminal, type TerminalOptions } from './terminal.ts'
import { addUsageCommand } from './usage-command.ts'
import { addUserCommands } from './user-commands.ts'
import { addVersionCommand } from './version-command.ts'

/** Options that several commands have. */
interface CommonOptions extends TerminalOptions {
  readonly data?: string
}

export interface CliOptions {
  readonly streams?: Streams
  /** Settings that have precedence over the environment. */
  readonly settings?: Readonly<Record<string, string | undefined>>
}

/**
 * Runs the command `yonder` with these arguments and returns its exit code: 0 when it succeeded, 1 when it failed, 2
 * when its arguments were wrong or it needs `--yes`. Errors are printed on standard error, or with `--json` as
 * `{"error":{"message":…}}` on standard output.
 */
export async function runCli(
  parameters: readonly string[],
  { streams = process, settings = {} }: CliOptions = {},
): Promise<number> {
  // Known before the arguments are parsed, because the errors of parsing are printed as JSON too.
  const isJson = beforeDoubleDash(parameters).includes('--json')
  let options: CommonOptions = { json: isJson }
  let exitCode: 0 | 1 = 0
  const program = new Command('yonder')
  const terminal = openTerminal(streams, () => options)
  const cli: Cli = {
    program,
    terminal,
    settings: () => ({ ...settings, ...(options.data !== undefined && { DATA_DIR: options.data }) }),
    setExitCode: (code) => (exitCode = code),
  }
  program
    .description('Yonder is a self-hostable chat application. Without a command it starts the server.')
    .usage('[command] [options]')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void (isJson || streams.stderr.write(text)),
    })
    .showHelpAfterError('Run "yonder --help" to see all commands.')
    .hook('preAction', (_, command) => {
      options = command.opts<CommonOptions>()
    })
  addStartCommand(cli)
  addDoctorCommand(cli)
  addUserCommands(cli)
  addBotCommands(cli)
  addUsageCommand(cli)
  addBackupCommands(cli)
  addKeyCommand(cli)
  addVersionCommand(cli)
  program.commands.forEach(addCommonOptions)
  try {
    await program.parseAsync(withDefaultCommand(parameters), { from: 'user' })
    return exitCode
  } catch (error) {
    return reportError(error, terminal)
  }
}

function beforeDoubleDash(parameters: readonly string[]): readonly string[] {
  const end = parameters.indexOf('--')
  return end === -1 ? parameters : parameters.slice(0, end)
}

/** Options of `yonder` itself. */
const ownOptions: ReadonlySet<string> = new Set(['--help', '-h', '--version', '-V'])

/**
 * `yonder`, also with options of `start`, starts the server. A default command of commander would also get every
 * unknown command, as its argument.
 */
function withDefaultCommand(parameters: readonly string[]): readonly string[] {
  const [first] = parameters
  const isStart = first === undefined || (first.startsWith('-') && !ownOptions.has(first))
  return isStart ? ['start', ...parameters] : parameters
}

/** Adds the options and the usage to a command, or to the commands below it. */
function addCommonOptions(command: Command): void {
  const path = pathOf(command)
  if (command.commands.length > 0) {
    command.showHelpAfterError(`Run "${path} --help" to see its commands.`)
    command.commands.forEach(addCommonOptions)
    return
  }
  const name = command.name()
  // It has no result to print.
  if (name !== 'start') command.option('--json', 'print the result or the error as JSON, on one line')
  // It reads no data.
  if (name !== 'version')
    command.option('--data <folder>', 'the folder of the database and its key (DATA_DIR)')
  command.showHelpAfterError(`Usage: ${path} ${command.usage()}`)
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** Prints the error and returns the exit code. */
function reportError(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return reportUsageError(error, terminal)
  const isExpected =
    error instanceof CommandError || error instanceof ConfigError || error instanceof AppError
  const message = error instanceof Error ? error.message : String(error)
  const stack = error instanceof Error ? error.stack : undefined
  terminal.fail(message, isExpected ? message : (stack ?? message))
  return error instanceof CommandError ? error.exitCode : 1
}

/** Commander has printed its errors already, unless they are printed as JSON. */
function reportUsageError({ exitCode, code, message }: CommanderError, terminal: Terminal): number {
  if (exitCode === 0) return 0
  // `commander.help`: the command has commands below it, such as `users`, and none was given.
  const text =
    code === 'commander.help'
      ? 'A command is missing. Add --help to see the commands.'
      : message.replace(/^error: /, '')
  terminal.fail(text, '')
  return 2
}

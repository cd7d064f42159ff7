import { runCli } from './cli/run-cli.ts'

/**
 * The command `yonder`. It sets the exit code and does not end the process, because `start` leaves a server running.
 */
process.exitCode = await runCli(process.argv.slice(2))

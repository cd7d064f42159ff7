import type { Cli } from './cli.ts'

interface StartOptions {
  readonly port?: string
  readonly host?: string
}

/** Adds `yonder start`, which is also what `yonder` without a command does. */
export function addStartCommand({ program, settings }: Cli): void {
  program
    .command('start')
    .description('start the server; this is the default')
    .option('--port <number>', 'the port to listen on (PORT)')
    .option('--host <address>', 'the network address to listen on (HOST)')
    .addHelpText(
      'after',
      `
Examples:
  yonder start --port 8080
  yonder start --data ~/yonder --host 0.0.0.0

Every setting is an environment variable, or a line of .env in the working folder.`,
    )
    .action(async ({ port, host }: StartOptions) => {
      // Other commands do not need the server, which takes a second to load.
      const { startServer } = await import('../start-server.ts')
      await startServer({ ...settings(), PORT: port, HOST: host })
    })
}

import type { Cli } from './cli.ts'

interface StartOptions {
  readonly port?: string
  readonly host?: string
  readonly tls?: boolean
}

/** Adds `yonder start`, which is also what `yonder` without a command does. */
export function addStartCommand({ program, settings }: Cli): void {
  program
    .command('start')
    .description('start the server; this is the default')
    .option('--port <number>', 'the port to listen on (PORT)')
    .option('--host <address>', 'the network address to listen on (HOST)')
    .option('--tls', 'serve https with a certificate that Yonder makes for this machine (TLS=local)')
    .addHelpText(
      'after',
      `
Examples:
  yonder start --port 8080
  yonder start --data ~/yonder --host 0.0.0.0 --tls

Settings can also be environment variables, or lines of .env in the working folder. An option has precedence.`,
    )
    .action(async ({ port, host, tls }: StartOptions) => {
      // Other commands do not need the server, which takes a second to load.
      const { startServer } = await import('../start-server.ts')
      await startServer({ ...settings(), PORT: port, HOST: host, TLS: tls === true ? 'local' : undefined })
    })
}

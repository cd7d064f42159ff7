import packageJson from '../package.json' with { type: 'json' }
import type { Cli } from './cli.ts'

/** Adds `yonder version`. */
export function addVersionCommand({ program, terminal }: Cli): void {
  program
    .command('version')
    .description('print the version of Yonder and of Node')
    .action(() => {
      const { version } = packageJson
      const { node } = process.versions
      terminal.print({ text: `Yonder ${version}, Node ${node}`, data: { version, node } })
    })
}

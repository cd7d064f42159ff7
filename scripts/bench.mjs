import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { rootFolder, runTool } from '../bin/run-command.mjs'
import { buildStale } from './build.mjs'
import { setUp } from './setup.mjs'

const folder = join(rootFolder, 'bench')
const [name, ...parameters] = process.argv.slice(2)

if (name === undefined || !existsSync(join(folder, `${name}.ts`))) {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => entry.name.replace(/\.ts$/, ''))
  console.log(`npm run bench <name>, where name is one of:\n  ${names.join('\n  ')}`)
  process.exitCode = name === undefined ? 0 : 1
} else {
  await setUp()
  await buildStale()
  const { code } = await runTool('tsx/dist/cli.mjs', [join(folder, `${name}.ts`), ...parameters])
  process.exitCode = code
}

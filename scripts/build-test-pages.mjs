import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { rootFolder } from '../bin/run-command.mjs'

// Builds two pages for browser tests, each into a folder of its own below the given one, like the product but without
// compressed copies. This is a separate process, because Vite reads NODE_ENV.

const pages = [
  { name: 'gallery', root: 'web', entry: 'gallery/index.html' },
  { name: 'identity', root: 'web/testing/identity-page', entry: 'index.html' },
]
const output = process.argv[2]
if (output === undefined) throw new Error('Pass the folder for the built pages.')

for (const { name, root, entry } of pages) {
  const built = await build({
    configFile: join(rootFolder, 'web/vite.config.ts'),
    root: join(rootFolder, root),
    logLevel: 'error',
    build: { write: false, rolldownOptions: { input: join(rootFolder, root, entry) } },
  })
  for (const file of /** @type {import('vite').Rolldown.RolldownOutput} */ (built).output) {
    const path = join(output, name, file.fileName === entry ? 'index.html' : file.fileName)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.type === 'chunk' ? file.code : file.source)
  }
}

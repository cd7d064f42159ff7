import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { rootFolder } from '../bin/run-command.mjs'

// Builds the page on which browser tests sign in and out, like the product but without compressed copies. This is a
// separate process, because Vite reads NODE_ENV.

const output = process.argv[2]
if (output === undefined) throw new Error('Pass the folder for the built page.')

const built = await build({
  configFile: join(rootFolder, 'web/vite.config.ts'),
  root: join(rootFolder, 'web/testing/identity-page'),
  logLevel: 'error',
  build: { write: false },
})
for (const file of /** @type {import('vite').Rolldown.RolldownOutput} */ (built).output) {
  const path = join(output, file.fileName)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, file.type === 'chunk' ? file.code : file.source)
}

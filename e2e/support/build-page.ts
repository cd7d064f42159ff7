import { extname, join } from 'node:path'
import type { Rolldown } from 'vite'
import { rootFolder } from '../../scripts/run-command.mjs'

export interface BuiltPage {
  /** Returns the file with this path, or the page itself when there is none. */
  find(path: string): { readonly body: Buffer; readonly type: string }
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Builds the page `entry` of the folder `root` into memory, as the product is built. */
export async function buildPage(root: string, entry = 'index.html'): Promise<BuiltPage> {
  const { build } = await import('vite')
  const built = await build({
    configFile: join(rootFolder, 'web/vite.config.ts'),
    root: join(rootFolder, root),
    logLevel: 'error',
    build: { write: false, rolldownOptions: { input: join(rootFolder, root, entry) } },
  })
  const files = new Map(
    (built as Rolldown.RolldownOutput).output.map((file) => [
      `/${file.fileName}`,
      {
        body: Buffer.from(file.type === 'chunk' ? file.code : file.source),
        type: types[extname(file.fileName)] ?? '',
      },
    ]),
  )
  const page = files.get(`/${entry}`)
  if (page === undefined) throw new Error(`The page ${root}/${entry} was not built.`)
  return { find: (path) => files.get(path) ?? page }
}

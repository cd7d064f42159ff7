import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { productFolder } from './product.ts'

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

/** Reads a page that `scripts/build-test-pages.mjs` has built. */
export function readBuiltPage(name: 'gallery' | 'identity'): BuiltPage {
  const folder = join(productFolder, 'pages', name)
  if (!existsSync(folder))
    throw new Error(`The page ${name} is not built. Start the browser tests with \`npm run e2e\`.`)
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => extname(path) !== '')
      .map((path) => [
        `/${path.replaceAll('\\', '/')}`,
        { body: readFileSync(join(folder, path)), type: types[extname(path)] ?? '' },
      ]),
  )
  const page = files.get('/index.html')
  if (page === undefined) throw new Error(`The page ${name} has no index.html.`)
  return { find: (path) => files.get(path) ?? page }
}

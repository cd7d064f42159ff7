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
}

/** Reads the page that `scripts/build-test-page.mjs` has built, on which tests sign in and out. */
export function readBuiltPage(): BuiltPage {
  const folder = join(productFolder, 'page')
  if (!existsSync(folder))
    throw new Error('The page is not built. Start the browser tests with `npm run e2e`.')
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => extname(path) !== '')
      .map((path) => [
        `/${path.replaceAll('\\', '/')}`,
        { body: readFileSync(join(folder, path)), type: types[extname(path)] ?? '' },
      ]),
  )
  const page = files.get('/index.html')
  if (page === undefined) throw new Error('The page has no index.html.')
  return { find: (path) => files.get(path) ?? page }
}

import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { rootFolder } from '../../scripts/run-command.mjs'

export interface IdentityPage {
  /** A file of the built page by its path; the page itself for every other path. */
  find(path: string): { readonly body: Buffer; readonly type: string }
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
}

/** Builds the page of `web/testing/identity-page` as the product is built, into memory. */
export async function buildIdentityPage(): Promise<IdentityPage> {
  const { build } = await import('vite')
  const outDir = mkdtempSync(join(tmpdir(), 'yonder-identity-page-'))
  await build({
    configFile: join(rootFolder, 'web/vite.config.ts'),
    root: join(rootFolder, 'web/testing/identity-page'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
  })
  const files = new Map(
    readdirSync(outDir, { recursive: true, encoding: 'utf8' })
      .filter((path) => extname(path) !== '')
      .map((path) => [
        `/${path}`,
        { body: readFileSync(join(outDir, path)), type: types[extname(path)] ?? '' },
      ]),
  )
  rmSync(outDir, { recursive: true, force: true })
  const page = files.get('/index.html')
  if (page === undefined) throw new Error('The page was not built.')
  return { find: (path) => files.get(path) ?? page }
}

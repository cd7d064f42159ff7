import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Page } from '@playwright/test'
import { build } from 'vite'
import { findChromium } from '../../scripts/find-chromium.mjs'

export interface WebPage {
  readonly browser: Browser
  readonly page: Page
  readonly close: () => Promise<void>
}

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' }

/** Builds a page of `web/testing` with the styles of the product, and opens it in Chromium. */
export async function openWebPage(entry: string, browserOptions: readonly string[] = []): Promise<WebPage> {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-bench-'))
  const root = fileURLToPath(new URL('../../web', import.meta.url))
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: true,
      rollupOptions: { input: join(root, 'testing', entry), output: { entryFileNames: 'page.js' } },
    },
  })
  const styles = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => extname(path) === '.css')
    .map((path) => `<link rel="stylesheet" href="/${path}">`)
  const server = createServer(({ url = '/' }, response) => {
    if (url === '/') {
      response.setHeader('content-type', 'text/html')
      return void response.end(
        `<!doctype html>${styles.join('')}<body><script type="module" src="/page.js"></script>`,
      )
    }
    const type = types[extname(url)]
    if (type === undefined) return void response.writeHead(404).end()
    response.setHeader('content-type', type)
    response.end(readFileSync(join(folder, url)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', ...browserOptions],
  })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(`http://127.0.0.1:${port}/`)
  return {
    browser,
    page,
    close: async () => {
      await browser.close()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

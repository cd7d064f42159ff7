import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rootFolder, runCommand, runTool } from '../bin/run-command.mjs'
import { buildStale } from './build.mjs'
import { provideChromium } from './provide-chromium.mjs'

/**
 * Runs Playwright against a copy of the built product, so that another build does not replace it during the tests.
 * Returns Playwright's exit code, or undefined without a browser. Throws when the product, or the pages that only the
 * tests open, cannot be built.
 *
 * @param {readonly string[]} parameters for Playwright
 * @param {NodeJS.ProcessEnv} [env]
 */
export async function runBrowserTests(parameters, env) {
  const chromium = await provideChromium()
  if (chromium === undefined) return undefined
  await buildStale()
  // Below the root, so that the packages which are not bundled are found from there.
  const copy = mkdtempSync(join(rootFolder, '.cache', 'product-'))
  try {
    for (const folder of ['server/dist', 'web/dist'])
      cpSync(join(rootFolder, folder), join(copy, folder), { recursive: true })
    // Once, because each worker would otherwise build it.
    const page = await runCommand(process.execPath, ['scripts/build-test-page.mjs', join(copy, 'page')], {
      env: { NODE_ENV: 'production' },
    })
    if (page.code !== 0)
      throw new Error(
        'The page that only the browser tests open could not be built. The reason is printed above.',
      )
    const { code } = await runTool(
      '@playwright/test/cli.js',
      ['test', '--config=e2e/playwright.config.ts', ...parameters],
      { env: { ...env, CHROMIUM_PATH: chromium, PRODUCT_FOLDER: copy } },
    )
    return code
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

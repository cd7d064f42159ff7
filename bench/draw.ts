import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { build, preview } from 'vite'
import { rootFolder } from '../bin/run-command.mjs'
import { findChromium } from '../scripts/find-chromium.mjs'
import { openReport } from './parts/figures.ts'

/*
 * Compares drawing a reply of 20,000 characters in steps of five with appending the same text to one text node, by the
 * CPU time of all browser processes. Then compares a step at 80,000 characters with one at 20,000.
 */

const maxRatio = 1.3
const maxGrowth = 2.2
const stepChars = 5

const sample = `## A heading of some length

A paragraph with **strong** and *soft* words, \`code\`, and a [link](https://example.org/somewhere) to follow. It goes on for a
few lines, as answers do, so that there is something to lay out and something to break into lines on the page.

- The first point, which is not short either
- The second point with \`more code\` in it
- The third point

| name | value |
|---|---|
| one | 1 |
| two | 2 |

\`\`\`ts
export function add(left: number, right: number): number {
  return left + right
}
\`\`\`

`
const text = sample.repeat(Math.ceil(84_000 / sample.length))

const outDir = mkdtempSync(join(tmpdir(), 'yonder-draw-'))
const root = join(rootFolder, 'web')
const settings = { root, configFile: join(root, 'vite.config.ts'), logLevel: 'error' } as const
const input = join(root, 'testing/draw-page.html')
await build({ ...settings, build: { outDir, emptyOutDir: true, rolldownOptions: { input } } })
const site = await preview({ ...settings, build: { outDir }, preview: { port: 0 } })
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath !== undefined && { executablePath }),
  args: ['--no-sandbox', '--disable-gpu', '--disable-frame-rate-limit', '--disable-gpu-vsync'],
})
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
await page.goto(new URL('testing/draw-page.html', site.resolvedUrls?.local[0]).href)
const session = await browser.newBrowserCDPSession()
await page.waitForFunction(() => 'grow' in window)

interface DrawWindow {
  begin: (way: string, text: string) => void
  grow: (text: string, from: number, to: number, step: number) => Promise<void>
}

/** CPU seconds that a text needs to grow. Its initial part is drawn before the measurement. */
async function measure(way: 'markdown' | 'plain', from: number, to: number): Promise<number> {
  await page.evaluate(([way, start]) => (window as unknown as DrawWindow).begin(way, start), [
    way,
    text.slice(0, from),
  ] as const)
  await page.waitForTimeout(500)
  const before = await readCpuTime()
  await page.evaluate(
    ([text, from, to, step]) => (window as unknown as DrawWindow).grow(text, from, to, step),
    [text, from, to, stepChars] as const,
  )
  return (await readCpuTime()) - before
}

async function readCpuTime(): Promise<number> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0)
}

await measure('markdown', 0, 2000)
await measure('plain', 0, 2000)
const plain = await measure('plain', 0, 20_000)
const markdown = await measure('markdown', 0, 20_000)
const steps = 400
const early = await measure('markdown', 20_000, 20_000 + steps * stepChars)
const late = await measure('markdown', 80_000, 80_000 + steps * stepChars)
await browser.close()
await site.close()
rmSync(outDir, { recursive: true, force: true })

const report = openReport('characters')
const goal = { maxRatio }
const counterpart = { name: 'plain text', values: [plain] }
report.add({ name: 'draw a reply', size: 20_000, unit: 's', values: [markdown], counterpart, goal })
const toMs = (seconds: number): readonly number[] => [(seconds / steps) * 1000]
report.add({ name: 'draw a step', size: 20_000, unit: 'ms', values: toMs(early) })
report.add({ name: 'draw a step', size: 80_000, unit: 'ms', values: toMs(late), goal: { maxGrowth } })
report.finish()

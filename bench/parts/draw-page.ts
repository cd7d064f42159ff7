import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { build, preview } from 'vite'
import { rootFolder } from '../../bin/run-command.mjs'
import { findChromium } from '../../scripts/find-chromium.mjs'

export type DrawWay = 'markdown' | 'finished' | 'inert' | 'plain'

interface DrawWindow {
  begin: (way: DrawWay, text: string) => void
  grow: (text: string, from: number, to: number, step: number) => Promise<void>
  settle: () => Promise<void>
  holdMs: number
}

/** Builds web/testing/draw-page.html and opens it in Chromium. */
export async function openDrawPage() {
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
  await page.waitForFunction(() => 'grow' in window)
  const processes = await browser.newBrowserCDPSession()
  const thread = await page.context().newCDPSession(page)
  // The time that the thread had a processor, whatever else the machine does.
  await thread.send('Performance.enable', { timeDomain: 'threadTicks' })
  const readBusyMs = async (): Promise<number> => {
    const { metrics } = await thread.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
  const begin = (way: DrawWay, text: string) =>
    page.evaluate(([way, text]) => (window as unknown as DrawWindow).begin(way, text), [way, text] as const)
  const grow = (text: string, from: number, to: number, step: number) =>
    page.evaluate(([text, from, to, step]) => (window as unknown as DrawWindow).grow(text, from, to, step), [
      text,
      from,
      to,
      step,
    ] as const)
  /** Resolves when the page has drawn everything and has nothing to do. */
  const settle = () => page.evaluate(() => (window as unknown as DrawWindow).settle())
  return {
    page,
    begin,
    grow,
    settle,
    /** CPU seconds of all processes of the browser. */
    async readCpuTime(): Promise<number> {
      const { processInfo } = await processes.send('SystemInfo.getProcessInfo')
      return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0)
    },
    /** Loads what is loaded on demand. */
    async warmUp(texts: readonly string[]): Promise<void> {
      for (const text of texts) {
        await begin('finished', text)
        await page.waitForTimeout(1000)
      }
    },
    /** Returns how long the main thread was busy in all, and at most without a pause (0 below 50 ms). */
    async measure(way: DrawWay, text: string, steps: number) {
      await begin(way, '')
      await settle()
      await page.evaluate(() => ((window as unknown as DrawWindow).holdMs = 0))
      const before = await readBusyMs()
      const step = Math.ceil(text.length / steps)
      await grow(text, Math.min(step, text.length), text.length, step)
      await settle()
      const busyMs = (await readBusyMs()) - before
      const holdMs = await page.evaluate(() => (window as unknown as DrawWindow).holdMs)
      return { busyMs, holdMs }
    },
    async close(): Promise<void> {
      await browser.close()
      await site.close()
      rmSync(outDir, { recursive: true, force: true })
    },
  }
}

import { chromium, type Page } from '@playwright/test'
import { startProduct } from '../../e2e/support/product.ts'
import { signUp } from '../../e2e/support/users.ts'
import { findChromium } from '../../scripts/find-chromium.mjs'

/** Starts the product, or another build of it, and a browser. */
export async function openProductPage(folder?: string) {
  const product = await startProduct(folder === undefined ? {} : { folder })
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  return {
    dataDir: product.dataDir,
    /** Opens a browser of a new user, who is signed in on the page. */
    async openUser() {
      const context = await browser.newContext({
        baseURL: product.url,
        viewport: { width: 1280, height: 800 },
      })
      const page = await context.newPage()
      const { email } = await signUp(page)
      return { context, page, email }
    },
    async close(): Promise<void> {
      await browser.close()
      await product.remove()
    },
  }
}

/** Milliseconds from the navigation until the first element that the selector matches is painted. */
export async function openUntilPainted(page: Page, address: string, selector: string): Promise<number> {
  await page.addInitScript((selector) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) === null) return
      observer.disconnect()
      // The frame that paints it ends when the next one starts.
      requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('shown')))
    })
    observer.observe(document, { childList: true, subtree: true })
  }, selector)
  await page.goto(address)
  await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0)
  return page.evaluate(() => performance.getEntriesByName('shown')[0]?.startTime ?? Number.NaN)
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds of the thread. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/**
 * Watches the tasks of the page's main thread. Returns a function that ends the watch and returns the milliseconds for
 * which the longest task had a processor, whatever else the machine did.
 */
export async function watchTasks(page: Page): Promise<() => Promise<number>> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('The page has no browser')
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] })
  return async () => {
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
      traceEvents: readonly TraceEvent[]
    }
    const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
    const main = new Set(
      traceEvents
        .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
        .map(threadOf),
    )
    const tasks = traceEvents.filter((event) => event.name === 'RunTask' && main.has(threadOf(event)))
    if (tasks.length === 0) throw new Error('The trace has no tasks')
    return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000
  }
}

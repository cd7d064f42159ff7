import { chromium, type Page } from '@playwright/test'
import { startProduct } from '../../e2e/support/product.ts'
import { signUp } from '../../e2e/support/users.ts'
import { findChromium } from '../../scripts/find-chromium.mjs'

/** Starts the product and a browser. */
export async function openProductPage() {
  const product = await startProduct()
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

/** Returns a function that ends the watch and returns the durations of the tasks of the page of at least 50 ms. */
export async function watchLongTasks(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const tasks: number[] = []
    const observer = new PerformanceObserver((entries) => {
      tasks.push(...entries.getEntries().map(({ duration }) => duration))
    })
    observer.observe({ type: 'longtask' })
    Object.assign(window, { longTasks: tasks })
  })
  return async () => {
    // The entries of the last frame come after it.
    await page.waitForTimeout(200)
    return page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks)
  }
}

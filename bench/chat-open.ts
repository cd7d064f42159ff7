import { chromium } from '@playwright/test'
import type { BrowserContext } from '@playwright/test'
import { signUp } from '../e2e/support/users.ts'
import { startProduct } from '../e2e/support/product.ts'
import { writeLongChat } from '../e2e/support/database-rows.ts'
import { findChromium } from '../scripts/find-chromium.mjs'

/*
 * Compares opening a chat of 10,000 messages and one of 50, in a browser that has cached the app: from the navigation until
 * the last messages are painted. The two chats alternate. Also counts the nodes of the page.
 */

const rounds = Number(process.argv[2] ?? 9)
const maxRatio = 1.3
const maxNodes = 3000

const product = await startProduct()
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath !== undefined && { executablePath }),
  args: ['--no-sandbox', '--disable-gpu'],
})
const context = await browser.newContext({ baseURL: product.url, viewport: { width: 1280, height: 800 } })
const first = await context.newPage()
const { email } = await signUp(first)
const chats: { count: number; id: string; times: number[]; nodes: number }[] = []
for (const count of [50, 10_000])
  chats.push({
    count,
    id: await writeLongChat(product.dataDir, email, count),
    times: [],
    nodes: 0,
  })
for (let round = -1; round < rounds; round++) {
  for (const chat of round % 2 === 0 ? chats : [...chats].reverse()) {
    const { time, nodes } = await open(context, chat.id)
    if (round < 0) continue
    chat.times.push(time)
    chat.nodes = nodes
  }
}
await browser.close()
await product.remove()

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
for (const { count, times, nodes } of chats) {
  process.stdout.write(
    `open a chat of ${String(count).padStart(6)} messages: ${median(times).toFixed(0)} ms (median of ${times.length}), ${nodes} nodes\n`,
  )
}
const [few = Number.NaN, many = Number.NaN] = chats.map(({ times }) => median(times))
const nodes = Math.max(...chats.map((chat) => chat.nodes))
process.stdout.write(
  `ratio ${(many / few).toFixed(2)}, goal: ${maxRatio}; ${nodes} nodes, goal: under ${maxNodes}\n`,
)
if (!(many / few <= maxRatio && nodes < maxNodes)) process.exitCode = 1

/** Milliseconds from the navigation until the end of the chat is painted, and the nodes of the page a second later. */
async function open(context: BrowserContext, id: string): Promise<{ time: number; nodes: number }> {
  const page = await context.newPage()
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('article .markdown p') === null) return
      observer.disconnect()
      // The frame that paints it ends when the next one starts.
      requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('shown')))
    })
    observer.observe(document, { childList: true, subtree: true })
  })
  await page.goto(`/chat/${id}`)
  await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0)
  const time = await page.evaluate(() => performance.getEntriesByName('shown')[0]?.startTime ?? Number.NaN)
  await page.waitForTimeout(1000)
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  await page.close()
  return { time, nodes }
}

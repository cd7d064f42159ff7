import type { BrowserContext } from '@playwright/test'
import { writeLongChat } from '../e2e/support/database-rows.ts'
import { openReport } from './parts/figures.ts'
import { openProductPage, openUntilPainted } from './parts/open-product-page.ts'

/*
 * Compares opening long chats and one of 50 messages, in a browser that has cached the app: from the navigation until
 * the last messages are painted. The chats take turns. Each is also opened with a slowed processor, like that of a
 * phone or of a busy machine. The nodes of the page are counted too. With `OLD_BUILD=<clone>`, an older build is opened
 * in turn with this one.
 */

const rounds = Number(process.argv[2] ?? 9)
const slowdowns = [1, 4]
/** Messages. The goal for the time is for this size. The next size shows how the time grows. */
const judgedSize = 10_000
const sizes = [50, judgedSize, 4 * judgedSize]
const maxRatio = 1.3
const maxNodes = 3000

const oldBuild = process.env['OLD_BUILD']
const maxOldRatio = 1.05

/** A build with a chat of every size. */
async function openBuild(folder?: string) {
  const product = await openProductPage(folder)
  const { context, page, email } = await product.openUser()
  await page.close()
  const ids = new Map<number, string>()
  for (const size of sizes) ids.set(size, await writeLongChat(product.dataDir, email, size))
  return { context, ids, close: product.close }
}

const current = await openBuild()
const old = oldBuild === undefined ? undefined : await openBuild(oldBuild)
const createRuns = () =>
  slowdowns.flatMap((slowdown) => sizes.map((size) => ({ slowdown, size, times: [0], nodes: [0] })))
const runs = createRuns()
const oldRuns = createRuns()
const turns = runs.flatMap((run, index) => {
  const oldRun = oldRuns[index]
  return [
    { build: current, run },
    ...(old === undefined || oldRun === undefined ? [] : [{ build: old, run: oldRun }]),
  ]
})
for (let round = -1; round < rounds; round++) {
  for (const { build, run } of round % 2 === 0 ? turns : turns.toReversed()) {
    const { time, nodes } = await open(build.context, build.ids.get(run.size) ?? '', run.slowdown)
    run.times[Math.max(round, 0)] = time
    run.nodes[Math.max(round, 0)] = nodes
  }
}
await current.close()
await old?.close()

const report = openReport('messages')
for (const slowdown of slowdowns) {
  const name = slowdown === 1 ? 'open a chat' : `open a chat with a processor ${slowdown} times slower`
  const [short, ...long] = runs.filter((run) => run.slowdown === slowdown)
  for (const { size, times } of long) {
    const counterpart = { name: `${short?.size} messages`, values: short?.times ?? [], isPaired: true }
    const goal = size === judgedSize ? { maxRatio } : {}
    report.add({ name, size, unit: 'ms', values: times, counterpart, goal })
  }
}
if (old !== undefined)
  for (const [index, { slowdown, size, times }] of runs.entries())
    report.add({
      name: `beside the old build, ${slowdown} times slower`,
      size,
      unit: 'ms',
      values: times,
      counterpart: { name: 'old build', values: oldRuns[index]?.times ?? [], isPaired: true },
      goal: size > judgedSize ? {} : { maxRatio: maxOldRatio },
    })
for (const { size, slowdown, nodes } of runs)
  if (slowdown === 1)
    report.add({ name: 'nodes of the page', size, unit: 'nodes', values: nodes, goal: { max: maxNodes } })
report.finish()

/** Milliseconds from the navigation until the end of the chat is painted, and the nodes of the page a second later. */
async function open(
  context: BrowserContext,
  id: string,
  slowdown: number,
): Promise<{ time: number; nodes: number }> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  const time = await openUntilPainted(page, `/chat/${id}`, 'article .markdown p')
  await page.waitForTimeout(1000)
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  await page.close()
  return { time, nodes }
}

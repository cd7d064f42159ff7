import { writeLongChat } from '../e2e/support/database-rows.ts'
import { openReport } from './parts/figures.ts'
import { openProductPage, openUntilPainted, watchTasks } from './parts/open-product-page.ts'

/*
 * Searches within a chat of 5,000 messages and goes through the matches, in a browser: the time until all matches are
 * counted, that of a step, and the processor time of the longest task.
 * `npm run bench find [messages]`
 */

const size = Number(process.argv[2] ?? 5000)
const steps = 30
const maxTaskMs = 50

const product = await openProductPage()
const { page, email } = await product.openUser()
const id = await writeLongChat(product.dataDir, email, size)
await openUntilPainted(page, `/chat/${id}`, 'article .markdown p')
await page.waitForTimeout(1000)
const stopWatch = await watchTasks(page)
await page.keyboard.press('ControlOrMeta+f')
const bar = page.getByRole('search', { name: 'Find in this chat' })
const counts: number[] = []
const stepTimes: number[] = []
for (const words of ['sea', 'the', 'answer 1', 'sentence or two']) {
  const start = performance.now()
  await bar.getByRole('textbox').fill(words)
  const total = bar.getByRole('status')
  await total.filter({ hasText: /^[\d,]+ of [\d,]+$/ }).waitFor()
  counts.push(performance.now() - start)
  for (let step = 0; step < steps; step++) {
    const before = (await total.textContent()) ?? ''
    const start = performance.now()
    await page.keyboard.press(step % 3 === 0 ? 'Shift+Enter' : 'Enter')
    await total.filter({ hasNotText: before }).waitFor()
    stepTimes.push(performance.now() - start)
  }
}
const longest = await stopWatch()
await product.close()

const report = openReport('messages')
report.add({ name: 'all matches counted', size, unit: 'ms', values: counts })
report.add({ name: 'a step to another match', size, unit: 'ms', values: stepTimes })
report.add({
  name: 'processor time of the longest task',
  unit: 'ms',
  values: [longest],
  goal: { max: maxTaskMs },
})
report.finish()

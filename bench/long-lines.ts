import type { Page } from '@playwright/test'
import { openReport } from './parts/open-report.ts'
import { openWebPage } from './parts/open-web-page.ts'

/*
 * Shows a million characters without a space in each place that `long-text-page.tsx` offers, and compares the time of
 * the page's main thread with that of a bare element with the same text. No single task may be longer than 200 ms, or
 * than the browser itself needs for a bare element: pasting into a bare text area is one long task already.
 */

const maxRatio = 1.5
const maxTaskMs = 200
/** Characters. The shorter text shows how the time grows. */
const lengths = [250_000, 1_000_000]

interface LongTextWindow {
  readonly places: readonly string[]
  show: (place: string, text: string) => void
  growInSteps: (place: 'reply' | 'plain', text: string, steps: number) => Promise<void>
  longestTask: number
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/'

/** Text like that of an encoded file. */
function createText(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff
    return letters[(state >> 16) % letters.length]
  }).join('')
}

interface Cost {
  /** Time of all tasks of the main thread. */
  readonly totalMs: number
  readonly longestMs: number
}

const { page, close } = await openWebPage('long-text-page.tsx')
await page.waitForFunction(() => 'show' in window)
await page.evaluate(() => {
  const target = window as unknown as LongTextWindow
  target.longestTask = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) target.longestTask = Math.max(target.longestTask, duration)
  }).observe({ type: 'longtask' })
})
const session = await page.context().newCDPSession(page)
await session.send('Performance.enable')

async function readTaskMs(): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
}

async function measure(act: (page: Page) => Promise<unknown>): Promise<Cost> {
  await page.waitForTimeout(300)
  await page.evaluate(() => ((window as unknown as LongTextWindow).longestTask = 0))
  const before = await readTaskMs()
  await act(page)
  await page.waitForTimeout(700)
  const totalMs = (await readTaskMs()) - before
  const longestMs = await page.evaluate(() => (window as unknown as LongTextWindow).longestTask)
  return { totalMs, longestMs }
}

const show = (place: string, shown: string) =>
  page.evaluate(
    ([place, shown]) =>
      // In a task of its own, because what the debugger evaluates is not reported as a long task.
      new Promise<void>((resolve) => {
        setTimeout(() => {
          ;(window as unknown as LongTextWindow).show(place, shown)
          requestAnimationFrame(() => setTimeout(resolve))
        })
      }),
    [place, shown] as const,
  )
const grow = (place: 'reply' | 'plain', text: string) =>
  page.evaluate(([place, text]) => (window as unknown as LongTextWindow).growInSteps(place, text, 50), [
    place,
    text,
  ] as const)

/** Pastes the text into the only input of the page. */
async function paste(text: string): Promise<void> {
  await page.evaluate((text) => {
    const input = document.querySelector('textarea')
    input?.focus()
    const data = new DataTransfer()
    data.setData('text/plain', text)
    const isHandled = input?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
    // A synthetic event has no default action.
    if (isHandled === true) document.execCommand('insertText', false, text)
  }, text)
}
const type = () => page.keyboard.type('abc')

const report = openReport('long-lines', 'characters')
function add(name: string, size: number, cost: Cost, plain: Cost): void {
  report.add({
    name,
    size,
    unit: 'ms',
    values: [cost.totalMs],
    counterpart: { name: 'plain element', values: [plain.totalMs] },
    goal: { maxRatio },
  })
  report.add({
    name: `${name}, longest task`,
    size,
    unit: 'ms',
    values: [cost.longestMs],
    goal: { max: Math.max(maxTaskMs, plain.longestMs) },
  })
}

await measure(() => show('reply', 'Warm-up'))
const places = await page.evaluate(() => (window as unknown as LongTextWindow).places)
const only = process.argv[2] ?? ''
for (const length of lengths) {
  const text = createText(length)
  const plain = await measure(() => show('plain', text))
  for (const place of places.filter((name) => name.includes(only)))
    add(place, length, await measure(() => show(place, text)), plain)
  if ('streamed reply'.includes(only)) {
    const plainGrowth = await measure(() => grow('plain', text))
    add('streamed reply', length, await measure(() => grow('reply', text)), plainGrowth)
  }
  if ('paste and type'.includes(only)) {
    await show('plain input', '')
    const plainPaste = await measure(() => paste(text))
    const plainTyping = await measure(type)
    await show('composer', '')
    add('paste', length, await measure(() => paste(text)), plainPaste)
    add('type after a paste', length, await measure(type), plainTyping)
  }
}
await close()
report.finish()

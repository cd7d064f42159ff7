import { openDrawPage, type DrawWay } from './parts/draw-page.ts'
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

const draw = await openDrawPage()

/** CPU seconds that a text needs to grow. Its initial part is drawn before the measurement. */
async function measure(way: DrawWay, from: number, to: number): Promise<number> {
  await draw.begin(way, text.slice(0, from))
  await draw.page.waitForTimeout(500)
  const before = await draw.readCpuTime()
  await draw.grow(text, from, to, stepChars)
  return (await draw.readCpuTime()) - before
}

await measure('markdown', 0, 2000)
await measure('plain', 0, 2000)
const plain = await measure('plain', 0, 20_000)
const markdown = await measure('markdown', 0, 20_000)
const steps = 400
const early = await measure('markdown', 20_000, 20_000 + steps * stepChars)
const late = await measure('markdown', 80_000, 80_000 + steps * stepChars)
await draw.close()

const report = openReport('characters')
const goal = { maxRatio }
const counterpart = { name: 'plain text', values: [plain] }
report.add({ name: 'draw a reply', size: 20_000, unit: 's', values: [markdown], counterpart, goal })
const toMs = (seconds: number): readonly number[] => [(seconds / steps) * 1000]
report.add({ name: 'draw a step', size: 20_000, unit: 'ms', values: toMs(early) })
report.add({ name: 'draw a step', size: 80_000, unit: 'ms', values: toMs(late), goal: { maxGrowth } })
report.finish()

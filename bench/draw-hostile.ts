import { cpus, loadavg } from 'node:os'
import { hostileShapes } from '@yonder/contract/testing/hostile-texts'
import { openDrawPage, type DrawWay } from './parts/draw-page.ts'

/*
 * Draws hostile texts of four sizes: as a finished reply, as one that grows, and as the text of a tool. Prints the busy
 * time of the page's main thread and the longest time in which it answered nothing. Twice the text may cost little more
 * than twice the time. `npm run bench draw-hostile -- PART` draws only the shapes with this part in their names.
 */

const sizes = [8_000, 16_000, 32_000, 64_000]
/** Eight times the text, with room for what the machine does meanwhile. */
const maxGrowth = 12
/** Below this, in ms, a growth is noise. */
const minJudgedMs = 400
/** Judged only on a quiet machine: it is what a user waits, with what else the machine does. */
const maxHoldMs = 150
const isQuiet = () => (loadavg()[0] ?? 0) < cpus().length
const steps = 64

const ways = { 'at once': 'finished', streamed: 'markdown', 'of a tool': 'inert' } as const satisfies Record<
  string,
  DrawWay
>
const [part = '', onlyWay = ''] = process.argv.slice(2)
const draw = await openDrawPage()
await draw.warmUp(['```js\nlet a = 1\n```\n\n$$x^2$$'])
const slow: string[] = []
for (const [name, shape] of Object.entries(hostileShapes)) {
  if (!name.includes(part)) continue
  for (const [wayName, way] of Object.entries(ways)) {
    if (!wayName.includes(onlyWay)) continue
    const figures: { busyMs: number; holdMs: number }[] = []
    for (const size of sizes) {
      const figure = await draw.measure(way, shape(size), way === 'markdown' ? steps : 1)
      figures.push(figure)
      if (figure.busyMs > 4_000) break
    }
    const [first, last] = [figures[0]?.busyMs ?? 0, figures.at(-1)?.busyMs ?? 0]
    const growth = last / Math.max(first, minJudgedMs / maxGrowth)
    const hold = Math.max(...figures.map(({ holdMs }) => holdMs))
    const isMet = figures.length === sizes.length && growth <= maxGrowth && (hold <= maxHoldMs || !isQuiet())
    const line = `${name}, ${wayName}: ${figures.map(({ busyMs }) => Math.round(busyMs)).join(' ')} ms, ${growth.toFixed(1)} x; held ${figures.map(({ holdMs }) => Math.round(holdMs)).join(' ')} ms`
    console.log(isMet ? line : `${line} NOT MET`)
    if (!isMet) slow.push(line)
  }
}
await draw.close()
console.log(slow.length === 0 ? 'All are linear.' : `${slow.length} are not:\n${slow.join('\n')}`)
if (slow.length > 0) process.exitCode = 1

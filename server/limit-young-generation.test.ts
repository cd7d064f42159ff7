import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

/**
 * Creates objects that stay in memory, in a process of its own, because its flags stay changed. The median of the sizes
 * leaves out the moments in which V8 also counts pages that have just become old.
 */
const program = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { setTimeout as wait } from 'node:timers/promises'
  const { limitYoungGeneration } = await import(process.argv[1])
  const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size
  const megabytes = Number(process.argv[2]) * 1024 * 1024
  if (megabytes > 0) limitYoungGeneration(megabytes)
  const kept = []
  const allocate = () => { for (let count = 0; count < 20_000; count++) kept.push({ count, list: [count] }) }
  while (size() < 8 * 1024 * 1024) allocate()
  await wait(600)
  const sizes = Array.from({ length: 60 }, () => (allocate(), size() / 1024 / 1024))
  console.log(sizes.sort((a, b) => a - b)[30])
`

function measure(megabytes: number): number {
  const module = new URL('limit-young-generation.ts', import.meta.url).href
  const parameters = ['--import', 'tsx', '--input-type=module', '--eval', program, module, String(megabytes)]
  return Number(execFileSync(process.execPath, parameters, { encoding: 'utf8' }))
}

it('stops the growth of the memory for new objects, which V8 would let grow', () => {
  expect(measure(8)).toBeLessThan(16)
  expect(measure(0)).toBeGreaterThan(16)
})

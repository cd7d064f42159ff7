import { expect, it } from 'vitest'
import { fitLine } from './fit-line.ts'

it.each([
  ['a text', { msg: 'request', path: 'x'.repeat(16_000) }],
  ['text of several bytes', { msg: 'request', path: '漢\u0001"'.repeat(16_000) }],
  [
    'a chain of causes',
    { msg: 'failed', err: { stack: 'a'.repeat(3_000), cause: { stack: 'b'.repeat(3_000) } } },
  ],
  ['many fields', { msg: 'm'.repeat(9_000), list: Array.from({ length: 9_000 }, String) }],
])('cuts a line of the log with %s to 4 kB', (_what, fields) => {
  const line = fitLine(`${JSON.stringify({ level: 30, time: 1, ...fields })}\n`)
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(4_000)
  expect(line.endsWith('\n')).toBe(true)
  const entry = JSON.parse(line) as { readonly level: number; readonly msg: string }
  expect(entry).toMatchObject({ level: 30, time: 1 })
  expect(entry.msg.slice(0, 200)).toBe(fields.msg.slice(0, 200))
})

it('leaves a short line as it is', () => {
  const line = `{"level":30,"msg":"${'é'.repeat(1_900)}"}\n`
  expect(fitLine(line)).toBe(line)
})

import { expect, test } from 'vitest'
import { measureCpuTime } from '../../../testing/measure-cpu-time.ts'
import { holdsMarkdown } from './typed-content.tsx'

test.each([
  '```\ncode\n```',
  'Why?\n\n```ts\nlet a = 1\n',
  '~~~ text\ncode\n~~~',
  'Buy:\n- milk\n- eggs',
  '* one\r\n* two',
  '1. one\n2. two',
  '1) one\n\n1) two',
  '| a | b |\n|---|:-:|\n| 1 | 2 |',
  'a | b\n-|-\n1 | 2',
  'Why does `npm ci` fail?',
  'This is **important**.',
  '**注意：**这是',
  '请运行`npm ci`命令',
  'It is ~~red~~ blue',
  'See [the page](https://a.example/b_(c)).',
])('finds a code fence, a list or a table in %j (§1.3)', (text) => {
  expect(holdsMarkdown(text)).toBe(true)
})

test.each([
  '',
  'A plain text with _underscores_ and *stars*.',
  '2**3**4 and f(**kwargs, **more) and a ** b ** c',
  'an apostrophe ` and another `',
  '5~10 and ~~',
  'see [1](note) and [x](javascript:alert(1))',
  '# not a heading\n\n> said',
  '- only one entry',
  '2024. A good year',
  '-1\n-2',
  '``` in one line ```',
  'a || b\nc',
  '---\n---',
  '    - indented\n    - code',
])('finds none in %j', (text) => {
  expect(holdsMarkdown(text)).toBe(false)
})

test('takes little time for a long text of marks', () => {
  const cpuMs = measureCpuTime()
  for (const piece of ['**a', '`a', '[a', '~~a ', '**\\\\'])
    holdsMarkdown(`${piece.repeat(400)}\n`.repeat(200))
  expect(cpuMs()).toBeLessThan(4000)
})

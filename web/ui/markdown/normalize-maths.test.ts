import { expect, test } from 'vitest'
import { measureCpuTime } from '../../testing/measure-cpu-time.ts'
import { normalizeMaths } from './normalize-maths.ts'

test.each([
  ['a $x^2$ b', 'a $$x^2$$ b'],
  ['a \\(x\\) b', 'a $$x$$ b'],
  ['\\[x + 1\\]', '$$\nx + 1\n$$'],
  ['\\[\nx\n+ 1\n\\]', '$$\nx\n+ 1\n$$'],
  ['$$x$$', '$$\nx\n$$'],
  ['$$\nx\n$$', '$$\nx\n$$'],
  ['$$\nx = 1$$', '$$\nx = 1\n$$'],
  ['- a\n\n  $$x$$', '- a\n\n  $$\n  x\n  $$'],
  ['the $n$th of $k$s, 在$x$处', 'the $$n$$th of $$k$$s, 在$$x$$处'],
  ['$2 x + 3 y = 10$', '$$2 x + 3 y = 10$$'],
  ['so $$x$$ here', 'so $$x$$ here'],
  ['`$a$` and $b$', '`$a$` and $$b$$'],
])('finds the formula in %j', (source, normal) => {
  expect(normalizeMaths(source)).toBe(normal)
})

test.each([
  'It costs $5 and $10.',
  'From $5-$10 a piece',
  'It costs $5 (or 10$), $5 or 10$',
  '只要$5（约10$）',
  '价格$5到$10，或 US$5~US$10',
  '$HOME/$USER and $PATH:$HOME/bin, ${A}:${B}',
  '变量$a和$b的值',
  '$AAPL、$TSLA',
  'A \\$x\\$ that is escaped',
  '`$x$` is code',
  '``a ` $x$``',
  'US$ and A$ are dollars',
  'an array\\[0\\',
  'nothing',
  '$ x $',
  '$$$$',
])('finds no formula in %j', (source) => {
  expect(normalizeMaths(source)).toBeUndefined()
})

test('does not convert a block with more than 200 formulas', () => {
  expect(normalizeMaths('$x$ '.repeat(200))).toBeDefined()
  expect(normalizeMaths('$x$ '.repeat(201))).toBeUndefined()
})

test.each(['$', '$$', '\\[', '\\(', '`', '$a ', '``a`', '\\'])(
  'takes little time for many repetitions of %j',
  (piece) => {
    const cpuMs = measureCpuTime()
    normalizeMaths(piece.repeat(50_000 / piece.length))
    expect(cpuMs()).toBeLessThan(1000)
  },
)

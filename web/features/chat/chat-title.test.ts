import { expect, test } from 'vitest'
import { measureCpuTime } from '../../testing/measure-cpu-time.ts'
import { referenceTitle } from './chat-title.ts'

test('cuts after 40 characters and adds three dots, and leaves 40 as they are (§2.36, §9.7)', () => {
  expect(referenceTitle('a'.repeat(40))).toBe('a'.repeat(40))
  expect(referenceTitle('a'.repeat(41))).toBe(`${'a'.repeat(40)}...`)
})

test('counts a combined emoji as one character', () => {
  expect(referenceTitle('👩‍👩‍👧'.repeat(41))).toBe(`${'👩‍👩‍👧'.repeat(40)}...`)
})

test.each([
  ['# A **title** with `code`', 'A title with code'],
  ['- [x] done *now*', 'done now'],
  ['> quoted\n> twice', 'quoted twice'],
  ['1. first\n2. second', 'first second'],
  ['see [the page](https://a.example "x") and ![a cat](/cat.png)', 'see the page and a cat'],
  ['```ts\nlet a = 1\n```', 'let a = 1'],
  ['~~old~~ __new__ _soft_', 'old new soft'],
  ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
  ['a\n\n---\n\nb', 'a b'],
  ['| Name | Age |\n|---|:-:|\n| Ada | **36** |\n| x \\| y | a<br>b |', 'Name Age Ada 36 x | y a b'],
  ['a | b\n--|--\n1 | 2\n\nc || d', 'a b 1 2 c || d'],
  ['| 项目 | 说明 |\n|---|---|\n| 甲 | **重', '项目 说明 甲 **重'],
  ['**注意：**这是`代码`', '注意：这是代码'],
  ['src/__init__/a.py and __init__.py', 'src/__init__/a.py and __init__.py'],
  ['', ''],
])('removes the markdown marks of %j (§2.36)', (content, title) => {
  expect(referenceTitle(content)).toBe(title)
})

test('handles a hostile text in linear time', () => {
  const cpuMs = measureCpuTime()
  for (const text of ['*a '.repeat(50_000), '['.repeat(100_000), '**'.repeat(50_000), '_ '.repeat(50_000)])
    referenceTitle(text)
  expect(cpuMs()).toBeLessThan(2000)
})

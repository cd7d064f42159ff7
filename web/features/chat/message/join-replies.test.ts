import { expect, test } from 'vitest'
import { joinCutText } from './join-replies.ts'

test.each([
  ['goes on within a line of code', '```js\nconst a = fo', 'o()\n```', '```js\nconst a = foo()\n```'],
  [
    'leaves out a fence that is opened again',
    'So:\n```js\nlet a\n',
    '```js\nlet b\n```',
    'So:\n```js\nlet a\nlet b\n```',
  ],
  ['does so while the fence is being written', '- x\n  ~~~\n  let a', '~~~js', '- x\n  ~~~\n  let a\n'],
  ['ends the code with a fence without a language', '```js\na\n', '```\nDone.', '```js\na\n```\nDone.'],
  ['keeps a fence after code that has ended', '```\na\n```', '```\nb\n```', '```\na\n```\n```\nb\n```'],
  ['puts a space between words', 'Once upon', 'a time', 'Once upon a time'],
  ['and after a sentence', 'The end.', '**No**', 'The end. **No**'],
  ['but not before a mark, nor after a bracket', 'Once (', 'upon), a time', 'Once (upon), a time'],
  ['nor in a language without spaces', '今日は', '晴れ', '今日は晴れ'],
  ['keeps the space that is there', 'Once ', 'upon', 'Once upon'],
  ['begins a row, an item and a heading on a line', '| 1 | 2 |', '| 3 | 4 |', '| 1 | 2 |\n| 3 | 4 |'],
  ['begins an item on a line', '1. one', '2. two', '1. one\n2. two'],
  ['is the text alone when there is no other', '', 'One', 'One'],
])('%s', (_, before, after, joined) => {
  expect(joinCutText(before, after)).toBe(joined)
})

import { expect, it } from 'vitest'
import { closeBlocks } from './close-blocks.ts'

it.each([
  ['a block of code', 'See:\n```js\nlet a', '```'],
  ['one with a longer fence, in which a shorter one is', '````md\n```js\n1\n```', '````'],
  ['one with tildes, in which a fence of backticks is', ' ~~~\n```', '~~~'],
  ['one of which the fence is not closed by a line with more', '```\n```js', '```'],
  ['a comment', 'a\n\n<!-- b\n\nc', '-->'],
  ['a preformatted text', '<PRE>\n\na', '</PRE>'],
  ['a style', '<style\nmedia="all">', '</style>'],
  ['an instruction', '<?php\n\necho 1;', '?>'],
  ['a declaration', '<!DOCTYPE html', '>'],
])('closes %s', (_what, text, added) => {
  expect(closeBlocks(text)).toBe(`${text}\n${added}`)
})

it.each([
  ['', ''],
  ['a closed block', '```js\n1\n```'],
  ['a block that is closed by more marks', '~~~\n1\n~~~~~  '],
  ['code within a line', '``` a ``` b'],
  ['a comment on one line', '<!-- a --> b'],
  ['a comment that ends later', '<!--\n\na --> b'],
  ['a fence in a comment', '<!--\n```\n-->'],
  ['a comment in a block of code', '```\n<!--\n```'],
  ['an indented fence, which is code', '    ```'],
  ['an autolink', '<https://example.com>'],
  ['an element that a blank line ends', '<div>\n\na'],
])('leaves %s as it is', (_what, text) => {
  expect(closeBlocks(text)).toBe(text)
})

import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { drawnText } from './drawn-text.ts'
import { MarkdownBody } from './markdown-body.tsx'

test.each([
  'A **bold** and *soft* w**o**rd, ~~gone~~, H~2~O and `code *as* is`. a < b \\* c',
  '# Title\n\n- one\n- [x] done\n  1. deeper **still**\n\n> said\n> so',
  '| a | *b* |\n|---|--:|\n| 1 | [two](https://example.org/nothing) |',
  '```ts\nlet a = 1 // **not bold**\n```\n\n    indented',
  'one\ntwo<br>three <b>raw</b> https://example.org/bare',
])('is what is drawn of %j', (markdown) => {
  const { container } = render(<MarkdownBody text={markdown} growing={false} />)
  for (const label of container.querySelectorAll('figcaption')) label.remove()
  const words = (text: string | null) => text?.replaceAll(/[\s|]+/g, '')
  expect(words(drawnText(markdown, '|'))).toBe(words(container.textContent))
})

test('separates blocks and leaves out images', () => {
  expect(drawnText('# One\n\ntwo ![three](https://example.org/a.png)\n\n- four\n- five', '|')).toBe(
    'One|two |four|five',
  )
})

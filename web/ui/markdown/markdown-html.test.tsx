import { act } from '@testing-library/react'
import { expect, it } from 'vitest'
import { writeHtml } from './markdown-html.tsx'

// KaTeX needs standards mode, but the page of the test has no doctype. KaTeX is loaded with the first formula.
Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' })

const write = async (text: string) => {
  const html = await act(() => writeHtml(text))
  expect(html).toMatch(/^<div dir="(ltr|rtl)">.*<\/div>$/s)
  return html.replace(/^<div dir="\w+">|<\/div>$/g, '')
}

it('keeps headings, lists, tables, code, emphasis and line breaks', async () => {
  expect(await write('# Title\n\nA **bold** and *soft* `word`,\non two lines.')).toBe(
    '<h1>Title</h1><p>A <strong>bold</strong> and <em>soft</em> <code dir="ltr">word</code>,<br>\non two lines.</p>',
  )
  expect(await write('3. one\n4. two\n   - [x] done\n   - [ ] open')).toMatch(
    /^<ol start="3" dir="auto">\s*<li>one<\/li>.*<ul dir="auto">\s*<li>☑ done<\/li>\s*<li>☐ open<\/li>/s,
  )
  const table = await write('| a | b |\n|---|--:|\n| 1 | 2 |')
  expect(table).toMatch(
    /^<table><thead><tr><th>a<\/th>.*<td style="text-align: right;?">2<\/td>.*<\/table>$/s,
  )
  expect(await write('```js\nif (a < b) c()\n```')).toBe('<pre><code>if (a &lt; b) c()</code></pre>')
})

it('keeps links with a harmless address, and makes a link of an image', async () => {
  expect(
    await write('[a](https://a.example/?q=1 "t") [b](javascript:alert(1)) [c](/settings) [d](mailto:d@e.f)'),
  ).toBe('<p><a href="https://a.example/?q=1">a</a> b c <a href="mailto:d@e.f">d</a></p>')
  expect(await write('![cat](https://a.example/cat.png) ![](data:image/png;base64,AA)')).toBe(
    '<p><a href="https://a.example/cat.png">cat</a> data:image/png;base64,AA</p>',
  )
})

it('writes HTML of the text as text, without classes and scripts', async () => {
  const html = await write(
    '<b onclick="x()">bold</b>\n\n<script>alert(1)</script>\n\nNote[^1]\n\n[^1]: Below.',
  )
  const page = new DOMParser().parseFromString(html, 'text/html')
  expect(page.querySelectorAll('b, script')).toHaveLength(0)
  expect([...page.body.querySelectorAll('*')].flatMap((each) => each.getAttributeNames())).toEqual([])
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(html).toContain('Below.')
})

it('writes formulas as they are in the text, and the direction of the text', async () => {
  expect(await write('The sum \\(a_1 + b_1\\) is:\n\n$$\nc_1\n$$')).toBe(
    '<p>The sum <code>a_1 + b_1</code> is:</p><pre><code>c_1</code></pre>',
  )
  expect(await act(() => writeHtml('שלום'))).toBe('<div dir="rtl"><p>שלום</p></div>')
})

it('writes a long text completely and in order', async () => {
  const lines = Array.from({ length: 500 }, (_, line) => `Line **${line}**.`)
  const html = await write(lines.join('\n\n'))
  expect(html.match(/<strong>\d+<\/strong>/g)).toEqual(lines.map((_, line) => `<strong>${line}</strong>`))
})

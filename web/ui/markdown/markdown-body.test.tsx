import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { measureCpuTime } from '../../testing/measure-cpu-time.ts'
import { ImageSitesProvider } from './images.tsx'
import { MarkdownBody } from './markdown-body.tsx'

const draw = (text: string, growing = false) =>
  render(<MarkdownBody text={text} growing={growing} />).container
const html = (text: string) => {
  const view = render(<MarkdownBody text={text} growing={false} />)
  const drawn = view.container.innerHTML
  view.unmount()
  return drawn
}

test('draws headings, lists, task lists, tables, quotes and code (§1.3)', () => {
  const page = draw(
    '# Title\n\nA **bold** and *soft* word, ~~gone~~ and `code`.\n\n- one\n- [x] done\n- [ ] open\n\n' +
      '| a | b |\n|---|--:|\n| 1 | 2 |\n\n> said\n\n```ts\nlet a = 1\n```\n',
  )
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Title')
  expect(page.querySelector('strong')).toHaveTextContent('bold')
  expect(page.querySelector('del')).toHaveTextContent('gone')
  expect(screen.getByRole('checkbox', { name: 'Done' })).toBeChecked()
  expect(screen.getByRole('checkbox', { name: 'To do' })).not.toBeChecked()
  expect(screen.getByRole('cell', { name: '2' })).toBeVisible()
  expect(page.querySelector('blockquote')).toHaveTextContent('said')
  expect(page.querySelector('pre')).toHaveTextContent('let a = 1')
  expect(screen.getByText('ts')).toBeVisible()
})

test('highlights code once its block is closed, without changing its text (§1.3)', async () => {
  const view = render(<MarkdownBody text={'```ts\nconst a = 1'} growing />)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(view.container.querySelector('.hljs-keyword')).toBeNull()
  view.rerender(<MarkdownBody text={'```ts\nconst a = 1\n```\n\nmore'} growing />)
  await vi.waitFor(() => expect(view.container.querySelector('.hljs-keyword')).toHaveTextContent('const'))
  expect(view.container.querySelector('pre')?.textContent).toBe('const a = 1')
})

test('shows code in an unknown language without highlighting', async () => {
  const page = draw('```<b>x</b>\nplain\n```')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(page.querySelector('pre')).toHaveTextContent('plain')
  expect(page.querySelector('b')).toBeNull()
})

test('copies the code of a block', async () => {
  const user = userEvent.setup()
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  draw('- item\n\n  ```js\n  a()\n  ```\n')
  await user.click(screen.getByTitle('Copy code'))
  expect(write).toHaveBeenCalledExactlyOnceWith('a()')
})

test.each([
  'https://a.example/x',
  'http://a.example/',
  'irc://a.example',
  'ircs://a.example',
  'mailto:a@a.example',
  'xmpp:a@a.example',
  '/settings',
  'relative/path',
  '#part',
  '//a.example/x',
  '?q=a:b',
])('keeps the address %s (§5.18)', (address) => {
  const page = draw(`[link](${address})`)
  expect(page.querySelector('a')).toHaveAttribute('href', address)
})

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'javascript&colon;alert(1)',
  '&#106;avascript:alert(1)',
  'java&Tab;script:alert(1)',
  'java&NewLine;script:alert(1)',
  '&#1;javascript:alert(1)',
  'data:text/html,%3Cscript%3Ealert(1)%3C/script%3E',
  'data:text/html;base64,PHNjcmlwdD4=',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'ftp://a.example',
  'blob:https://a.example/1',
  'tel:123',
])('makes the address %s empty (§5.18)', (address) => {
  const page = draw(`[link](<${address}>)\n\n[ref][r]\n\n[r]: <${address}>`)
  const links = [...page.querySelectorAll('a')]
  expect(links.length).toBeGreaterThan(0)
  for (const link of links) expect(link.getAttribute('href')).toBe('')
})

test('opens other sites in a new tab that has no access to this one', () => {
  const page = draw('[out](https://a.example/x) [bare](//b.example) [in](/settings) www.c.example')
  const [out, bare, inside, auto] = page.querySelectorAll('a')
  for (const link of [out, bare, auto]) {
    expect(link).toHaveAttribute('target', '_blank')
    expect(link).toHaveAttribute('rel', 'noopener noreferrer')
  }
  expect(inside).not.toHaveAttribute('target')
})

test.each([
  ['[text](https://evil.example/x "https://bank.example")', 'https://evil.example/x', 'evil.example'],
  ['[https://bank.example](https://evil.example "bank")', 'https://evil.example/', 'evil.example'],
  ['[text](https://bank.example@evil.example/a)', 'https://bank.example@evil.example/a', 'evil.example'],
  ['[text][r]\n\n[r]: //evil.example/r "https://bank.example"', 'http://evil.example/r', 'evil.example'],
  ['[mail](mailto:ada@example.com "https://bank.example")', 'mailto:ada@example.com', undefined],
])('shows where the link %s leads, and never its title', (source, address, host) => {
  const page = draw(source)
  const link = page.querySelector('a')!
  expect(page.querySelector('[title]')).toBeNull()
  const focus = vi.spyOn(link, 'matches').mockReturnValue(true)
  fireEvent.focus(link)
  expect(focus).toHaveBeenCalledWith(':focus-visible')
  const bubble = page.querySelector('[popover]')!
  expect(bubble.textContent).toBe(address)
  expect(bubble.querySelector('strong')?.textContent).toBe(host)
  fireEvent.blur(link)
  expect(page.querySelector('[popover]')).toBeNull()
})

test('shows no title of an image or of a link that was refused', () => {
  const page = draw(
    '![a](https://a.example/a.png "title") ![b](x:y "title") [c](javascript:alert(1) "title")',
  )
  expect(page.querySelectorAll('.markdown-image')).toHaveLength(2)
  expect(page.querySelector('[title="title"]')).toBeNull()
})

const hostileHtml = [
  '<script>alert(1)</script>',
  '<img src=https://evil.example/a.png onerror=alert(1)>',
  '<svg><image href="https://evil.example/a"/></svg>',
  '<picture><source srcset=https://evil.example/a></picture>',
  '<iframe src="https://evil.example"></iframe>',
  '<style>@import url(https://evil.example/a.css)</style>',
  '<div style="background:url(https://evil.example/a)">x</div>',
  '<a href="javascript:alert(1)" onclick=alert(1)>x</a>',
  '<form action=https://evil.example><input name=config id=__proto__></form>',
  '<base href=https://evil.example>',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>',
  '- <details open ontoggle=alert(1)>',
  '> <video src=https://evil.example/v autoplay>',
]
const forbidden =
  'script, iframe, style, svg image, picture, source, form, base, meta, video, audio, object, embed, link, math, [onerror], [onclick], [ontoggle], [srcset], .markdown img'

test.each(hostileHtml)('shows %s as text, at once and character by character', (text) => {
  const page = draw(`before\n\n${text}\n\nafter`)
  expect(page.querySelector(forbidden)).toBeNull()
  expect(page.textContent).toContain('before')
  const view = render(<MarkdownBody text="" growing />)
  for (let end = 1; end <= text.length; end += 1) {
    view.rerender(<MarkdownBody text={text.slice(0, end)} growing />)
    expect(view.container.querySelector(forbidden)).toBeNull()
  }
})

test.each([
  '![a](https://evil.example/a.png?secret)',
  '![a][b]\n\n[b]: https://evil.example/a.png',
  '[b]: https://evil.example/a.png\n\n![b]',
  '[![a](https://evil.example/a.png)](https://evil.example)',
  '![a](//evil.example/a.png)',
  '![a](/api/anything)',
  '| ![a](https://evil.example/a.png) |\n|-|\n',
  '- ![a](HTTPS://evil.example/a.png)',
])('requests no image for %s, and names its site instead', (text) => {
  const page = draw(text)
  expect(page.querySelector('img')).toBeNull()
  expect(screen.getByRole('button', { name: 'Show image' })).toBeVisible()
  if (!text.includes('/api/')) expect(page).toHaveTextContent('from evil.example')
})

test.each(['![a](data:image/svg+xml,<svg/>)', '![a](javascript:alert(1))', '![a](file:///a)'])(
  'offers nothing for an image without a usable address: %s (§5.18)',
  (text) => {
    const page = draw(text)
    expect(page.querySelector('img')).toBeNull()
    expect(screen.queryByRole('button')).toBeNull()
    expect(page).toHaveTextContent('a')
  },
)

test('shows an image after a click, without revealing this page to its site', async () => {
  const page = draw('![A cat](https://pictures.example/cat.png)')
  await userEvent.click(screen.getByRole('button', { name: 'Show image' }))
  const image = page.querySelector('img')
  expect(image).toHaveAttribute('src', 'https://pictures.example/cat.png')
  expect(image).toHaveAttribute('referrerpolicy', 'no-referrer')
  expect(image).toHaveAttribute('alt', 'A cat')
  expect(screen.queryByRole('button', { name: 'Always show from this site' })).toBeNull()
})

test('says that an image could not be loaded, and tries again', async () => {
  const page = draw('![A cat](https://pictures.example/cat.png)')
  await userEvent.click(screen.getByRole('button', { name: 'Show image' }))
  fireEvent.error(screen.getByRole('img'))
  expect(page).toHaveTextContent('A cat could not be loaded from pictures.example')
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(screen.getByRole('img', { name: 'A cat' })).toBeVisible()
})

test('always shows images of a site that the user has allowed, and of no other', async () => {
  const text = '![One](https://pictures.example/1.png) ![Two](https://evil.example/2.png)'
  const example = (
    <ImageSitesProvider storageKey="sites-of-ada">
      <MarkdownBody text={text} growing={false} />
    </ImageSitesProvider>
  )
  const view = render(example)
  await userEvent.click(screen.getAllByRole('button', { name: 'Always show from this site' })[0]!)
  expect(screen.getByRole('img', { name: 'One' })).toBeVisible()
  expect(screen.queryByRole('img', { name: 'Two' })).toBeNull()
  view.unmount()
  render(example)
  expect(screen.getByRole('img', { name: 'One' })).toBeVisible()
  expect(screen.getAllByRole('button', { name: 'Show image' })).toHaveLength(1)
})

test('resolves a definition in another block, before or after its use', () => {
  const page = draw('See [the page][p].\n\n[p]: https://a.example/p "Page"\n\nAnd [p] again.')
  expect([...page.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual([
    'https://a.example/p',
    'https://a.example/p',
  ])
})

test('puts the notes of a finished text at its end', () => {
  const page = draw('One.[^1]\n\nTwo.\n\n[^1]: The note.')
  expect(page.querySelector('.footnotes')).toHaveTextContent('The note.')
  expect(page.querySelector('sup a')).toHaveTextContent('1')
})

test.each([
  ['long', 'word '.repeat(55)],
  ['has many markers', '*a* '.repeat(20)],
])('renders a text with footnotes as markdown, even if it %s for one block', (_, line) => {
  const page = draw(`# Title\n\n${`${line}[^1]\n\n`.repeat(190)}[^1]: The note.`)
  expect(page.querySelector('h1')).toHaveTextContent('Title')
  expect(page.querySelector('.footnotes')).toBeNull()
})

const pieces = [
  'word ',
  '\n',
  '\n\n',
  '- ',
  '1. ',
  '> ',
  '```\n',
  '**b**',
  '[a](b)',
  '[a]',
  '[a]: /x\n',
  '|a|\n|-|\n',
  '# ',
  '`',
  '<b>',
  '![i](/x)',
]

test('renders the same whether a text comes at once or character by character', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      const view = render(<MarkdownBody text="" growing />)
      for (let end = 1; end <= text.length; end += 3)
        view.rerender(<MarkdownBody text={text.slice(0, end)} growing />)
      view.rerender(<MarkdownBody text={text} growing={false} />)
      const drawn = view.container.innerHTML
      view.unmount()
      expect(drawn).toBe(html(text))
    }),
    { numRuns: 60 },
  )
})

test.each([
  ['quotes', '>'.repeat(10_000) + 'a'],
  ['lists', '- '.repeat(5000) + 'a'],
  ['stars', '*a **b '.repeat(3000)],
  ['brackets', '['.repeat(10_000)],
  ['images', '![a]('.repeat(4000)],
  ['backticks', '`'.repeat(1_000_000)],
  ['links', '[a](b'.repeat(4000)],
  ['strikes', '~a'.repeat(5000)],
  ['lines', '\n'.repeat(1_000_000)],
  ['definitions', '[a]: b\n'.repeat(5000) + '\n' + '[a] '.repeat(500)],
])('shows a text of many nested %s without blocking the page', (_name, text) => {
  const cpuMs = measureCpuTime()
  const page = draw(text)
  expect(cpuMs()).toBeLessThan(2000)
  if (text.trim() !== '') expect(page.textContent).not.toBe('')
})

test('draws a long text in steps, and all of it in the end', async () => {
  const lines = Array.from({ length: 3000 }, (_, index) => `Line ${index}.\n\n`)
  const page = draw(lines.join(''))
  await vi.waitFor(() => expect(page.querySelectorAll('p')).toHaveLength(lines.length))
  expect(page.textContent.replaceAll('\n', '')).toBe(lines.join('').replaceAll('\n', ''))
  expect(page.querySelectorAll('.markdown-step').length).toBeGreaterThan(1)
})

test('does not fill the rows of a wide table with thousands of cells that it lacks', () => {
  const page = draw(`${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n${'|b|\n'.repeat(200)}`)
  expect(page.querySelectorAll('td')).toHaveLength(200)
  expect(draw('|a|b|c|\n|-|-|-|\n|d|\n').querySelectorAll('td')).toHaveLength(3)
})

test('highlights long code in parts, without changing its text', async () => {
  const code = 'const a = 1\n\n'.repeat(1000).trim()
  const page = draw(`\`\`\`ts\n${code}\n\`\`\``)
  await vi.waitFor(() => expect(page.querySelectorAll('.hljs-keyword')).toHaveLength(1000))
  expect(page.querySelector('pre')?.textContent).toBe(code)
})

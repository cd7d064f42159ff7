import { render, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { measureCpuTime } from '../../testing/measure-cpu-time.ts'
import { MarkdownBody } from './markdown-body.tsx'

// KaTeX needs standards mode, but the page of the test has no doctype. KaTeX is loaded with the first formula.
Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' })

async function draw(text: string) {
  const page = render(<MarkdownBody text={text} growing={false} />).container
  await waitFor(() =>
    expect(page.querySelector('.markdown-formula, .markdown-inline-formula')).not.toBeNull(),
  )
  return page
}

test('draws formulas in a line and on lines of their own', async () => {
  const page = await draw('So $x^2$ and \\(y\\):\n\n$$\nz + 1\n$$\n\nand `$a$` for $5.')
  expect(page.querySelectorAll('.markdown-inline-formula math')).toHaveLength(2)
  expect(page.querySelectorAll('.markdown-formula math')).toHaveLength(1)
  expect(screen.getByText('$a$').tagName).toBe('CODE')
  expect(page).toHaveTextContent('for $5.')
})

test.each([
  ['has no end', '\\frac{1'],
  ['is not known', '\\nosuchcommand'],
  ['grows without end', '\\def\\a{\\a\\a}\\a'],
  [
    'doubles itself',
    '\\def\\a{xxxx}\\def\\b{\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b}\\def\\d{\\c\\c\\c\\c}\\def\\e{\\d\\d\\d\\d}\\e\\e\\e\\e',
  ],
  ['is nested too deep', '{'.repeat(900) + 'x' + '}'.repeat(900)],
])('shows the source of a formula that %s, without blocking the page', async (_name, tex) => {
  const cpuMs = measureCpuTime()
  const page = await draw(`$$\n${tex}\n$$`)
  expect(cpuMs()).toBeLessThan(4000)
  expect(page).toHaveTextContent(tex.slice(0, 20))
})

test('creates no links or HTML attributes from a formula', async () => {
  const page = await draw(
    '$\\href{javascript:alert(1)}{x}$ $\\url{https://bad.example}$ $\\htmlData{a=b}{x}$ $\\htmlId{root}{x}$ ' +
      '$\\includegraphics{https://bad.example/a.png}$ $\\htmlStyle{position:fixed}{x}$',
  )
  expect(page.querySelector('a, img, [data-a], #root, [style*="fixed"]')).toBeNull()
  expect(page.querySelectorAll('.markdown-inline-formula')).toHaveLength(6)
})

test('keeps the sizes of a formula small', async () => {
  const page = await draw('$$\n\\rule{5000em}{5000em}\n$$')
  const sizes = [...page.querySelectorAll<HTMLElement>('[style]')].flatMap(({ style }) => [
    style.width,
    style.height,
  ])
  expect(Math.max(...sizes.map((size) => Number.parseFloat(size) || 0))).toBeLessThanOrEqual(20)
})

import { act, render } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { measureCpuTime } from '../../testing/measure-cpu-time.ts'
import { MarkdownBody } from './markdown-body.tsx'
import { textsAsMeant } from './texts-as-meant.ts'

// KaTeX needs standards mode, but the page of the test has no doctype.
Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' })

const elements = new Set('STRONG EM DEL CODE UL OL LI TABLE TR TH TD BLOCKQUOTE H2'.split(' '))

/** Returns what is drawn as its structure: text, and the elements that have a meaning, without attributes. */
function outline(node: Node): string {
  if (!(node instanceof HTMLElement)) return node instanceof Text ? node.data : ''
  const inner = Array.from(node.childNodes, outline).join('')
  const name = node.tagName.toLowerCase()
  if (node.classList.contains('markdown-inline-formula'))
    return `<math>${node.querySelector('annotation')?.textContent}</math>`
  if (name === 'br') return '<br>'
  if (node instanceof HTMLInputElement) return node.checked ? '[x]' : '[ ]'
  if (node instanceof HTMLAnchorElement) {
    const href = node.getAttribute('href') ?? ''
    const isBare = [inner, encodeURI(inner), `http://${inner}`, `mailto:${inner}`].includes(href)
    return `<a${isBare ? '' : ` ${href}`}>${inner}</a>`
  }
  return elements.has(node.tagName) ? `<${name}>${inner.trim()}</${name}>` : inner
}

test.each(
  Object.entries(textsAsMeant).flatMap(([kind, texts]) => texts.map((text) => [kind, ...text] as const)),
)('draws as meant (§1.3): %s %j', async (_kind, text, structure) => {
  const { container } = await act(async () => render(<MarkdownBody text={text} growing={false} />))
  await vi.waitFor(() => expect(outline(container).replaceAll('<br>\n', '<br>')).toBe(structure))
})

test.each([
  'h ',
  'w',
  'https://a.example，',
  '[https://a.example，',
  'C:\\',
  '\\\\a\\',
  'https://',
  '，www.',
  '：C:\\',
  '：\\\\a\\',
])('takes little time for many repetitions of %j', (piece) => {
  const cpuMs = measureCpuTime()
  render(<MarkdownBody text={piece.repeat(20_000 / piece.length)} growing={false} />)
  expect(cpuMs()).toBeLessThan(4000)
})

import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { MarkedText } from './marked-text.tsx'

function marks(text: string, search: string): readonly (string | null)[] {
  const { container } = render(<MarkedText text={text} search={search} />)
  expect(container).toHaveTextContent(text, { normalizeWhitespace: false })
  return [...container.querySelectorAll('mark')].map((mark) => mark.textContent)
}

it('marks every word of the search, in any case and script', () => {
  expect(marks('Bake BREAD, then bread again', 'bread bake')).toEqual(['Bake', 'BREAD', 'bread'])
  expect(marks('修正这段代码', '代码')).toEqual(['代码'])
  expect(marks('nothing here', '')).toEqual([])
})

it('treats characters with a meaning in regular expressions as text', () => {
  expect(marks('a.b*c (d) [e] \\', '.b* (d) [ \\')).toEqual(['.b*', '(d)', '[', '\\'])
})

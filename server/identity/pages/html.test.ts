import { expect, it } from 'vitest'
import { html, raw } from './html.ts'

it('escapes every value, in text and in attributes', () => {
  const evil = `"><img src=x onerror='alert(1)'>&`
  const { text } = html`<p title="${evil}">${evil}</p>`
  expect(text).not.toContain('<img')
  expect(text.match(/"/g)).toHaveLength(2)
  expect(text).toContain('&#39;alert(1)&#39;&gt;&amp;')
})

it('inserts markup unescaped, and nothing for an undefined value', () => {
  const list = html`<ul>
    ${[html`<li>${'a'}</li>`, html`<li>b</li>`]}${undefined}
  </ul>`
  expect(list.text.replace(/\s/g, '')).toBe('<ul><li>a</li><li>b</li></ul>')
  expect(html`${raw('<hr>')}`.text).toBe('<hr>')
})

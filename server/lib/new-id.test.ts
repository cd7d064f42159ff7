import { expect, it } from 'vitest'
import { newId } from './new-id.ts'

it('makes 22 letters, digits, "-" and "_", which an address can hold', () => {
  for (let made = 0; made < 200; made++) expect(newId()).toMatch(/^[A-Za-z0-9_-]{22}$/)
})

it('does not repeat itself, and spreads over its whole range', () => {
  const ids = Array.from({ length: 5_000 }, newId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(ids.map((id) => id[0])).size).toBe(64)
})

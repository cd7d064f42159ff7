import { expect, it } from 'vitest'
import { newId } from './new-id.ts'

it('returns 22 letters, digits, "-" and "_", which are safe in a URL', () => {
  for (let made = 0; made < 200; made++) expect(newId()).toMatch(/^[A-Za-z0-9_-]{22}$/)
})

it('returns different ids, spread over the whole range', () => {
  const ids = Array.from({ length: 5_000 }, newId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(ids.map((id) => id[0])).size).toBe(64)
})

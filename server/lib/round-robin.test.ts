import { expect, it } from 'vitest'
import { RoundRobin } from './round-robin.ts'

it('takes one item of each key in turn, and the items of a key in their order', () => {
  const queue = new RoundRobin<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item.charAt(0), item)
  const taken = Array.from({ length: 7 }, () => queue.take())
  expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
})

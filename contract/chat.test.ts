import { expect, it } from 'vitest'
import { ChatListQuery, ClientId } from './chat.ts'

it('lists the first ten chats by default (§9.5)', () => {
  expect(ChatListQuery.parse({})).toEqual({ search: '', page: 1, limit: 10 })
})

it('reads numbers from query parameters (§7.8)', () => {
  expect(ChatListQuery.parse({ search: 'tea', page: '3', limit: '25' })).toEqual({
    search: 'tea',
    page: 3,
    limit: 25,
  })
})

it.each([
  { page: '0' },
  { page: '-1' },
  { page: '1.5' },
  { page: 'x' },
  { limit: '0' },
  { limit: '101' },
  { limit: '' },
])('refuses %o', (query) => {
  expect(ChatListQuery.safeParse(query).success).toBe(false)
})

it.each(['a', '_-Z9', 'x'.repeat(64)])('accepts %s as an id', (id) => {
  expect(ClientId.safeParse(id).success).toBe(true)
})

it.each(['', 'x'.repeat(65), 'a b', 'a/b', '..', 'ä', 'a\n', 'a\0'])('refuses %j as an id', (id) => {
  expect(ClientId.safeParse(id).success).toBe(false)
})

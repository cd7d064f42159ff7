import { expect, it } from 'vitest'
import { toReturnPath } from './sign-in.ts'

const origin = 'https://yonder.example'

it.each(['/', '/chat/abc', '/settings/bots?tab=1#top'])('returns to %s', (path) => {
  expect(toReturnPath(path, origin)).toBe(path)
})

it.each([
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  'https://evil.example/',
  'https://yonder.example.evil.example/',
  'javascript:alert(1)',
  'chat/abc',
  '',
  undefined,
  null,
  7,
])('returns to / instead of %s', (path) => {
  expect(toReturnPath(path, origin)).toBe('/')
})

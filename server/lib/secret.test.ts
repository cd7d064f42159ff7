import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { findWeakness } from './secret.ts'

it.each([
  ['abc', 'must have at least 32 characters'],
  [' '.repeat(32), 'is blank'],
  [`abc${' '.repeat(40)}`, 'must have at least 32 characters'],
  ['a'.repeat(64), 'repeats a few characters'],
  ['aB'.repeat(32), 'repeats a few characters'],
  ['password'.repeat(8), 'repeats itself'],
  ['1234567890'.repeat(3) + '12', 'repeats itself'],
  ['abcdefghijklmnopqrstuvwxyz0123456789', 'is a sequence of characters'],
  ['at-least-32-characters-the-same-on-every-node', 'is the text of an example'],
  ['CHANGE_ME-CHANGE-ME-please-change-me', 'is the text of an example'],
  ['your secret key with at least 32 letters', 'is the text of an example'],
  ['put-your-secret-with-32-letters-here', 'is the text of an example'],
  ['<paste the output of openssl rand here>', 'is the text of an example'],
])('refuses %j', (text, reason) => {
  expect(findWeakness(text, 32)).toBe(reason)
})

it('accepts generated secrets and passphrases', () => {
  for (let count = 0; count < 2000; count++) {
    const bytes = randomBytes(32)
    for (const text of [bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')])
      expect(findWeakness(text, 32)).toBeUndefined()
    expect(findWeakness(bytes.toString('hex').slice(0, 16), 16)).toBeUndefined()
  }
  expect(findWeakness('correct horse battery staple, twice over', 32)).toBeUndefined()
  expect(findWeakness('a secret of tests that is long enough', 32)).toBeUndefined()
  expect(findWeakness('keep your horse in the stable at night', 32)).toBeUndefined()
})

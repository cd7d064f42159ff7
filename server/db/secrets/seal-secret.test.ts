import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSealer } from './seal-secret.ts'

const sealer = createSealer('a secret of tests that is long enough')

it('opens what it sealed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (secret) => {
      expect(sealer.open(sealer.seal(secret))).toBe(secret)
    }),
  )
})

it('seals the same text differently each time, and shows none of it', () => {
  const secret = 'sk-a-very-recognisable-key'
  const sealed = Array.from({ length: 50 }, () => sealer.seal(secret))
  expect(new Set(sealed).size).toBe(sealed.length)
  for (const text of sealed) {
    expect(text).not.toContain(secret)
    expect(Buffer.from(text.slice('v1.'.length), 'base64url').toString('latin1')).not.toContain(
      'recognisable',
    )
  }
})

it('opens with an equal key in another process, and with no other key', () => {
  const sealed = sealer.seal('secret')
  expect(createSealer('a secret of tests that is long enough').open(sealed)).toBe('secret')
  expect(() => createSealer('a secret of tests that is long enougH').open(sealed)).toThrow()
})

it('refuses a sealed text in which a single bit was changed', () => {
  const bytes = Buffer.from(sealer.seal('secret').slice('v1.'.length), 'base64url')
  for (let position = 0; position < bytes.length * 8; position++) {
    const changed = Buffer.from(bytes)
    changed[position >> 3]! ^= 1 << (position & 7)
    expect(() => sealer.open(`v1.${changed.toString('base64url')}`)).toThrow()
  }
})

it.each(['', 'secret', 'v1.', 'v1.AAAA', 'v2.AAAA', `v1.${'A'.repeat(400)}`])('refuses %j', (text) => {
  expect(() => sealer.open(text)).toThrow()
})

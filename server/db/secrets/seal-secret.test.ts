import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSealer, type SealContext } from './seal-secret.ts'

const sealer = createSealer('a secret of tests that is long enough')
const context: SealContext = { purpose: 'bot key', owner: 'ada', row: ['bot'] }

it('opens what it sealed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (secret) => {
      expect(sealer.open(sealer.seal(secret, context), context)).toBe(secret)
    }),
  )
})

it('seals the same text differently each time, and shows none of it', () => {
  const secret = 'sk-a-very-recognisable-key'
  const sealed = Array.from({ length: 50 }, () => sealer.seal(secret, context))
  expect(new Set(sealed).size).toBe(sealed.length)
  for (const text of sealed) {
    expect(text).not.toContain(secret)
    expect(Buffer.from(text.slice('v2.'.length), 'base64url').toString('latin1')).not.toContain(
      'recognisable',
    )
  }
})

it('opens with an equal key in another process, and with no other key', () => {
  const sealed = sealer.seal('secret', context)
  expect(createSealer('a secret of tests that is long enough').open(sealed, context)).toBe('secret')
  expect(() => createSealer('a secret of tests that is long enougH').open(sealed, context)).toThrow()
})

it('refuses a sealed text in which a single bit was changed', () => {
  const bytes = Buffer.from(sealer.seal('secret', context).slice('v2.'.length), 'base64url')
  for (let position = 0; position < bytes.length * 8; position++) {
    const changed = Buffer.from(bytes)
    changed[position >> 3]! ^= 1 << (position & 7)
    expect(() => sealer.open(`v2.${changed.toString('base64url')}`, context)).toThrow()
  }
})

it.each(['', 'secret', 'v2.', 'v2.AAAA', 'v1.AAAA', `v2.${'A'.repeat(400)}`])('refuses %j', (text) => {
  expect(() => sealer.open(text, context)).toThrow()
})

it.each<[string, SealContext]>([
  ['for another purpose', { ...context, purpose: 'installation key' }],
  ['for another user', { ...context, owner: 'eve' }],
  ['in another row', { ...context, row: ['other'] }],
  ['when its parts are divided differently', { ...context, owner: '', row: ['ada', 'bot'] }],
])('does not open a value %s', (_case, other) => {
  const sealed = sealer.seal('secret', context)
  expect(() => sealer.open(sealed, other)).toThrow()
})

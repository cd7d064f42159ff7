import { expect, it } from 'vitest'
import { changeSecret } from './change-secret.ts'
import { maskSecret } from './mask-secret.ts'
import { createSealer } from './seal-secret.ts'

const sealer = createSealer('a secret of tests that is long enough')
const stored = sealer.seal('sk-proj-abcdefghijklmnop')
const change = (input: string | null | undefined, addressChanged = false) =>
  changeSecret(sealer, { field: 'token', stored, input, addressChanged })

it('keeps the stored secret when nothing or its mask is sent (§21.1)', () => {
  expect(change(undefined)).toBe(stored)
  expect(change(maskSecret(sealer, stored))).toBe(stored)
})

it('removes the stored secret for null and an empty text (§21.1)', () => {
  expect(change(null)).toBeNull()
  expect(change('')).toBeNull()
})

it('seals a new secret', () => {
  const sealed = change('a-new-one')
  expect(sealed).not.toContain('a-new-one')
  expect(sealer.open(sealed ?? '')).toBe('a-new-one')
})

it('does not keep a secret for another address (§21.2)', () => {
  expect(change(undefined, true)).toBeNull()
  expect(change(maskSecret(sealer, stored), true)).toBeNull()
  expect(sealer.open(change('a-new-one', true) ?? '')).toBe('a-new-one')
})

it.each(['with space', 'line\nbreak', 'tab\tbed', 'nul\0', 'ümlaut', 'abcd••••••••wxyz'])(
  'refuses %j, which is not valid in a header, and names the field',
  (input) => {
    expect(() => change(input)).toThrow(/^token: /)
  },
)

it('keeps a stored secret that cannot be decrypted', () => {
  const foreign = createSealer('another secret of tests, as long as that').seal('sk-proj-abcdefghijklmnop')
  const kept = changeSecret(sealer, {
    field: 'token',
    stored: foreign,
    input: maskSecret(sealer, foreign),
    addressChanged: false,
  })
  expect(kept).toBe(foreign)
})

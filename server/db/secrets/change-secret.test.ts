import { expect, it } from 'vitest'
import { changeSecret, maskSecret, openCredential, sealCredential } from './credential.ts'
import { connectorTokenContext } from './seal-contexts.ts'
import { createSealer } from './seal-secret.ts'

const sealer = createSealer('a secret of tests that is long enough')
const context = connectorTokenContext({ id: 'connector', user_id: 'ada' })
const address = 'https://server.example'
const credential = { secret: 'sk-proj-abcdefghijklmnop', address }
const stored = sealCredential(sealer, context, credential)
const change = (input: string | null | undefined, addressChanged = false) =>
  changeSecret(sealer, { field: 'token', context, stored, input, address, addressChanged })

it('keeps the stored secret when nothing or its mask is sent', () => {
  expect(change(undefined)).toBe(stored)
  expect(change(maskSecret(sealer, context, stored))).toBe(stored)
})

it('removes the stored secret for null and an empty text', () => {
  expect(change(null)).toBeNull()
  expect(change('')).toBeNull()
})

it('seals a new secret together with its address', () => {
  const sealed = change('a-new-one')
  expect(sealed).not.toContain('a-new-one')
  expect(openCredential(sealer, context, sealed ?? '')).toEqual({ secret: 'a-new-one', address })
})

it('does not keep a secret for another address', () => {
  expect(change(undefined, true)).toBeNull()
  expect(change(maskSecret(sealer, context, stored), true)).toBeNull()
  expect(openCredential(sealer, context, change('a-new-one', true) ?? '').secret).toBe('a-new-one')
})

it.each(['with space', 'line\nbreak', 'tab\tbed', 'nul\0', 'ümlaut', 'abcd••••••••wxyz'])(
  'refuses %j, which is not valid in a header, and names the field',
  (input) => {
    expect(() => change(input)).toThrow(/^token: /)
  },
)

it('keeps a stored secret that cannot be decrypted', () => {
  const other = createSealer('another secret of tests, as long as that')
  const foreign = sealCredential(other, context, credential)
  const kept = changeSecret(sealer, {
    field: 'token',
    context,
    stored: foreign,
    input: maskSecret(sealer, context, foreign),
    address,
    addressChanged: false,
  })
  expect(kept).toBe(foreign)
})

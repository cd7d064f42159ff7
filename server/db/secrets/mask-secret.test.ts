import { expect, it } from 'vitest'
import { maskSecret, sealCredential } from './credential.ts'
import { botKeyContext } from './seal-contexts.ts'
import { createSealer } from './seal-secret.ts'

const sealer = createSealer('a secret of tests that is long enough')
const context = botKeyContext({ id: 'bot', user_id: 'ada' })
const mask = (secret: string) =>
  maskSecret(sealer, context, sealCredential(sealer, context, { secret, address: null }))

it('shows four characters at each end of a long secret (§9.9)', () => {
  expect(mask('sk-proj-abcdefghijklmnop')).toBe('sk-p••••••••mnop')
})

it('hides a secret of up to 12 characters completely, and its length', () => {
  expect(mask('1')).toBe('••••••••')
  expect(mask('123456789012')).toBe('••••••••')
  expect(mask('1234567890123')).toBe('1234••••••••0123')
})

it('does not reveal the length of a long secret', () => {
  expect(mask(`abcd${'x'.repeat(50)}wxyz`)).toBe(mask(`abcd${'y'.repeat(9)}wxyz`))
})

it('returns null when there is no secret', () => {
  expect(maskSecret(sealer, context, null)).toBeNull()
})

it('hides a secret completely that another key has sealed', () => {
  const other = createSealer('another secret of tests, as long as that')
  const sealed = sealCredential(other, context, { secret: 'sk-proj-abcdefghijklmnop', address: null })
  expect(maskSecret(sealer, context, sealed)).toBe('••••••••')
})

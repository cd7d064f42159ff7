import { expect, it } from 'vitest'
import { readProfile } from './user.ts'

it('cuts a long name where it can be stored, so that it equals the stored one', () => {
  const name = readProfile({ name: `${'x'.repeat(1_999)}😀` }).name ?? ''
  expect(name).toHaveLength(2_000)
  expect(name.isWellFormed()).toBe(true)
})

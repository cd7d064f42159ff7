import { expect, it } from 'vitest'
import { hashPassword, isPassword } from './hash-password.ts'

it('verifies a password by its hash, which differs each time and does not contain it (§15.5)', async () => {
  const [first, second] = [await hashPassword('correct horse'), await hashPassword('correct horse')]
  expect(first).not.toBe(second)
  expect(first).not.toContain('correct')
  expect(await isPassword('correct horse', first)).toBe(true)
  expect(await isPassword('correct horse ', first)).toBe(false)
  expect(await isPassword('', first)).toBe(false)
})

it('treats composed and decomposed letters as equal', async () => {
  const hash = await hashPassword('caf\u00e9 au lait')
  expect(await isPassword('cafe\u0301 au lait', hash)).toBe(true)
})

it('distinguishes long passwords by their ends, and those with NUL in the middle', async () => {
  const hash = await hashPassword(`${'x'.repeat(100)}1`)
  expect(await isPassword(`${'x'.repeat(100)}2`, hash)).toBe(false)
  expect(await isPassword('ab\0c', await hashPassword('ab\0d'))).toBe(false)
})

it('rejects every password when there is no hash', async () => {
  expect(await isPassword('', null)).toBe(false)
  expect(await isPassword('', undefined)).toBe(false)
})

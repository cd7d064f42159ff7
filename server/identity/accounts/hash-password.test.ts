import { expect, it } from 'vitest'
import { hashPassword, isPassword } from './hash-password.ts'

it('knows a password by its hash, which differs each time and does not contain it (§15.5)', async () => {
  const [first, second] = [await hashPassword('correct horse'), await hashPassword('correct horse')]
  expect(first).not.toBe(second)
  expect(first).not.toContain('correct')
  expect(await isPassword('correct horse', first)).toBe(true)
  expect(await isPassword('correct horse ', first)).toBe(false)
  expect(await isPassword('', first)).toBe(false)
})

it('takes a composed letter and its parts for the same', async () => {
  const hash = await hashPassword('caf\u00e9 au lait')
  expect(await isPassword('cafe\u0301 au lait', hash)).toBe(true)
})

it('tells long passwords apart by their ends, and ones with NUL in the middle', async () => {
  const hash = await hashPassword(`${'x'.repeat(100)}1`)
  expect(await isPassword(`${'x'.repeat(100)}2`, hash)).toBe(false)
  expect(await isPassword('ab\0c', await hashPassword('ab\0d'))).toBe(false)
})

it('lets nobody in without a hash', async () => {
  expect(await isPassword('', null)).toBe(false)
  expect(await isPassword('', undefined)).toBe(false)
})

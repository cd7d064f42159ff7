import { expect, it } from 'vitest'
import { hashPassword, isHashOutdated, isPassword, scryptCost } from './hash-password.ts'

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

it('has the cost that OWASP recommends, and accepts a hash of a lower cost (§15.5)', async () => {
  const old = await hashPassword('correct horse', 2 ** 15)
  expect(await hashPassword('correct horse')).toMatch(/^scrypt\$131072\$/)
  expect(isHashOutdated(old)).toBe(true)
  expect(isHashOutdated(await hashPassword('correct horse'))).toBe(false)
  expect(await isPassword('correct horse', old)).toBe(true)
  expect(await isPassword('wrong horse', old)).toBe(false)
})

it('computes as much for a hash of a lower cost as for one of today (§15.6)', async () => {
  const workFor = async (cost: number) => {
    let work = 0
    await isPassword('wrong horse', await hashPassword('correct horse', cost), async (_text, _salt, one) => {
      work += one.cost * one.rounds
      return Buffer.alloc(32)
    })
    return work
  }
  expect(await workFor(2 ** 15)).toBe(scryptCost)
  expect(await workFor(scryptCost)).toBe(scryptCost)
})

it('refuses a computation when too many wait, and has room again afterwards (§15.22)', async () => {
  const hash = await hashPassword('correct horse', 2)
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => hashPassword('x', 2)))
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(refused).toHaveLength(50 - 34)
  expect(refused[0]).toMatchObject({ code: 'unavailable' })
  expect(await isPassword('correct horse', hash)).toBe(true)
})

it('rejects every password when there is no hash', async () => {
  expect(await isPassword('', null)).toBe(false)
  expect(await isPassword('', undefined)).toBe(false)
})

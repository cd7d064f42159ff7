import { expect, it } from 'vitest'
import { createPasswordHasher, scryptCost } from './hash-password.ts'

/** The hasher of the product is slow, so most tests use a lower cost. */
const passwords = createPasswordHasher(2 ** 4)

it('verifies a password by its hash, which differs each time and does not contain it', async () => {
  const [first, second] = [await passwords.hash('correct horse'), await passwords.hash('correct horse')]
  expect(first).not.toBe(second)
  expect(first).not.toContain('correct')
  expect(await passwords.isPassword('correct horse', first)).toBe(true)
  expect(await passwords.isPassword('correct horse ', first)).toBe(false)
  expect(await passwords.isPassword('', first)).toBe(false)
})

it('treats composed and decomposed letters as equal', async () => {
  const hash = await passwords.hash('caf\u00e9 au lait')
  expect(await passwords.isPassword('cafe\u0301 au lait', hash)).toBe(true)
})

it('distinguishes long passwords by their ends, and those with NUL in the middle', async () => {
  const hash = await passwords.hash(`${'x'.repeat(100)}1`)
  expect(await passwords.isPassword(`${'x'.repeat(100)}2`, hash)).toBe(false)
  expect(await passwords.isPassword('ab\0c', await passwords.hash('ab\0d'))).toBe(false)
})

it('has the cost that OWASP recommends, and accepts a hash of a lower cost', async () => {
  const old = await createPasswordHasher(2 ** 15).hash('correct horse')
  const product = createPasswordHasher()
  const hash = await product.hash('correct horse')
  expect(hash).toMatch(/^scrypt\$131072\$/)
  expect(product.isOutdated(old)).toBe(true)
  expect(product.isOutdated(hash)).toBe(false)
  expect(await product.isPassword('correct horse', hash)).toBe(true)
  expect(await product.isPassword('wrong horse', hash)).toBe(false)
  expect(await product.isPassword('correct horse', old)).toBe(true)
  expect(await product.isPassword('wrong horse', old)).toBe(false)
})

it('computes as much for a hash of a lower cost as for a new one', async () => {
  const workFor = async (cost: number) => {
    let work = 0
    const counting = createPasswordHasher(scryptCost, async (_text, _salt, one) => {
      work += one.cost * one.rounds
      return Buffer.alloc(32)
    })
    await counting.isPassword('wrong horse', await createPasswordHasher(cost, nullKey).hash('correct horse'))
    return work
  }
  expect(await workFor(2 ** 15)).toBe(scryptCost)
  expect(await workFor(scryptCost)).toBe(scryptCost)
})

const nullKey = () => Promise.resolve(Buffer.alloc(32))

it('refuses a computation when too many wait, and has room again afterwards', async () => {
  const hash = await passwords.hash('correct horse')
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => passwords.hash('x')))
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(refused).toHaveLength(50 - 34)
  expect(refused[0]).toMatchObject({ code: 'unavailable' })
  expect(await passwords.isPassword('correct horse', hash)).toBe(true)
})

it('rejects every password when there is no hash', async () => {
  expect(await passwords.isPassword('', null)).toBe(false)
  expect(await passwords.isPassword('', undefined)).toBe(false)
})

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** 2^15 rounds take about 90 ms and 32 MB: expensive for guessing, acceptable for a sign-in. */
const cost = 2 ** 15
const blockSize = 8
const keyBytes = 32
const memoryLimit = 64 * 1024 * 1024

/** `scrypt$N$salt$key`, so that the cost can grow while old passwords keep working (§15.5). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, cost)
  return ['scrypt', cost, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Takes as long for an unknown user (`hash` undefined) as for a known one (§15.6). */
export async function isPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const [, rounds, salt, key] = (hash ?? unknownUserHash).split('$')
  const expected = Buffer.from(key ?? '', 'base64url')
  const found = await derive(password, Buffer.from(salt ?? '', 'base64url'), Number(rounds))
  const same = expected.length === found.length && timingSafeEqual(expected, found)
  return same && hash !== null && hash !== undefined
}

const unknownUserHash = ['scrypt', cost, 'AAAAAAAAAAAAAAAAAAAAAA', ''].join('$')

function derive(password: string, salt: Buffer, rounds: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(
      password.normalize('NFC'),
      salt,
      keyBytes,
      { N: rounds, r: blockSize, maxmem: memoryLimit },
      (error, key) => {
        if (error) reject(error)
        else resolve(key)
      },
    )
  })
}

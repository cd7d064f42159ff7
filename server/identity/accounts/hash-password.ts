import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** The cost parameter N of scrypt. It takes about 90 ms and 32 MB: slow for guessing, acceptable for a sign-in. */
const scryptCost = 2 ** 15
const blockSize = 8
const saltBytes = 16
const keyBytes = 32
const maxMemoryBytes = 64 * 1024 * 1024

/** Derives a key from a password. Tests replace it to count the computations. */
export type DeriveKey = (password: string, salt: Buffer, cost: number) => Promise<Buffer>

/** Returns `scrypt$N$salt$key`. It contains the cost, so that old hashes stay valid when the cost is raised (§15.5). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const key = await deriveScryptKey(password, salt, scryptCost)
  return ['scrypt', scryptCost, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Whether a password has this hash. Without a hash it returns false after the same computation (§15.6). */
export async function isPassword(
  password: string,
  hash: string | null | undefined,
  deriveKey: DeriveKey = deriveScryptKey,
): Promise<boolean> {
  const [, cost, salt = '', key = ''] = (hash ?? placeholderHash).split('$')
  const expected = Buffer.from(key, 'base64url')
  const actual = await deriveKey(password, Buffer.from(salt, 'base64url'), Number(cost))
  const isEqual = expected.length === actual.length && timingSafeEqual(expected, actual)
  return isEqual && hash !== null && hash !== undefined
}

const placeholderHash = ['scrypt', scryptCost, Buffer.alloc(saltBytes).toString('base64url'), ''].join('$')

function deriveScryptKey(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(
      password.normalize('NFC'),
      salt,
      keyBytes,
      { N: cost, r: blockSize, maxmem: maxMemoryBytes },
      (error, key) => {
        if (error) reject(error)
        else resolve(key)
      },
    )
  })
}

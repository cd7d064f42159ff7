import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '../../lib/app-error.ts'
import { createBoundedRunner } from '../../lib/bounded-runner.ts'

/**
 * The cost parameter N of scrypt that OWASP recommends. A computation takes about half a second and 128 MB.
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
 */
export const scryptCost = 2 ** 17
const blockSize = 8
const saltBytes = 16
const keyBytes = 32
const maxMemoryBytes = 256 * 1024 * 1024

/** Node computes in a pool of four threads, which also resolves names and reads files. */
const maxConcurrent = 2
/** Further computations are refused, because the last one would wait longer than a user does. */
const maxWaiting = 32

/** Derives a key from a password. Tests replace it to count the computations. */
export type DeriveKey = (
  password: string,
  salt: Buffer,
  parameters: { readonly cost: number; readonly rounds: number },
) => Promise<Buffer>

/** Stores and checks passwords as hashes. */
export type PasswordHasher = ReturnType<typeof createPasswordHasher>

/** Creates the hasher of this process. Only tests, which sign in hundreds of times, pass a lower cost. */
export function createPasswordHasher(
  currentCost: number = scryptCost,
  deriveKey: DeriveKey = createKeyDerivation(),
) {
  const placeholder = formatHash(currentCost, Buffer.alloc(saltBytes), Buffer.alloc(0))
  return {
    /** Returns `scrypt$N$salt$key`, with the cost N, so that old hashes stay valid when it is raised. */
    async hash(password: string): Promise<string> {
      const salt = randomBytes(saltBytes)
      return formatHash(currentCost, salt, await deriveKey(password, salt, { cost: currentCost, rounds: 1 }))
    },
    /**
     * Whether a password has this hash. Without a hash it returns false after the same computation, and a hash of a lower
     * cost takes as long as a new one, so that the time reveals nothing.
     */
    async isPassword(password: string, hash: string | null | undefined): Promise<boolean> {
      const { cost, salt, key: expected } = readHash(hash ?? placeholder)
      const actual = await deriveKey(password, salt, { cost, rounds: 1 })
      if (cost < currentCost) await deriveKey(password, salt, { cost, rounds: currentCost / cost - 1 })
      const isEqual = expected.length === actual.length && timingSafeEqual(expected, actual)
      return isEqual && hash !== null && hash !== undefined
    },
    /** Whether the hash has a lower cost than new ones. It can only be replaced when the user enters the password. */
    isOutdated: (hash: string): boolean => readHash(hash).cost < currentCost,
  }
}

function formatHash(cost: number, salt: Buffer, key: Buffer): string {
  return ['scrypt', cost, salt.toString('base64url'), key.toString('base64url')].join('$')
}

function readHash(hash: string): { readonly cost: number; readonly salt: Buffer; readonly key: Buffer } {
  const [, cost, salt = '', key = ''] = hash.split('$')
  return { cost: Number(cost), salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') }
}

const runScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** Computes in the thread pool of Node, not on the main thread, and a few at a time. */
function createKeyDerivation(): DeriveKey {
  const runBounded = createBoundedRunner({
    maxConcurrent,
    maxWaiting,
    refusal: () =>
      new AppError('unavailable', 'Too many users are signing in at the moment. Try again in a minute.'),
  })
  return (password, salt, { cost, rounds }) => {
    const options = { N: cost, r: blockSize, p: rounds, maxmem: maxMemoryBytes }
    return runBounded(() => runScrypt(password.normalize('NFC'), salt, keyBytes, options))
  }
}

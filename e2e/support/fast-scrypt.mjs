import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

// Loaded before the product, so that hashing a password takes a millisecond instead of half a second. Tests sign up
// hundreds of users. Only the installation `closed` hashes passwords at their real cost.

const { scrypt } = crypto

/** @type {(password: string, salt: Buffer, keyBytes: number, options: import('node:crypto').ScryptOptions, done: (error: Error | null, key: Buffer) => void) => void} */
const fastScrypt = (password, salt, keyBytes, options, done) =>
  scrypt(password, salt, keyBytes, { ...options, N: 2 ** 4 }, done)

crypto.scrypt = /** @type {typeof scrypt} */ (fastScrypt)
syncBuiltinESMExports()

import { randomFillSync } from 'node:crypto'

const idBytes = 16
/** Filled for many ids at once, because the system call costs more than the bytes. Each byte is used once. */
const pool = Buffer.alloc(64 * idBytes)
let used = pool.length

/** 128 random bits in 22 letters, digits, "-" and "_": unguessable, and safe in a URL. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const from = used
  used += idBytes
  return pool.toString('base64url', from, used)
}

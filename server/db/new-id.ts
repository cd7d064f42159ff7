import { randomBytes } from 'node:crypto'

/** 128 random bits in 22 letters, digits, "-" and "_": unguessable, and safe in an address. */
export function newId(): string {
  return randomBytes(16).toString('base64url')
}

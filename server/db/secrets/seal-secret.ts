import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets for the database: keys and tokens (§21.12). */
export interface Sealer {
  seal(secret: string): string
  /** Throws when the text was not sealed with this key, or was changed. */
  open(sealed: string): string
}

const version = 'v1'
const ivBytes = 12
const tagBytes = 16

/** AES-256-GCM under a key derived from `secretKey`. Sealing the same text twice gives two different results. */
export function createSealer(secretKey: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'yonder sealed secrets', 32))
  return {
    seal(secret) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return `${version}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed) {
      const [prefix, text] = sealed.split('.')
      if (prefix !== version || text === undefined)
        throw new Error(
          'A stored secret has an unknown format. Restore the database from a backup, or enter the secret again.',
        )
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString(
        'utf8',
      )
    },
  }
}

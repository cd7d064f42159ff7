import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** What a sealed value is for. Each purpose has a key of its own. */
export type SealPurpose =
  | 'bot key'
  | 'connector token'
  | 'connector headers'
  | 'connector client secret'
  | 'connector tokens'
  | 'connector details'
  | 'connector consent'
  | 'integration key'
  | 'integration tokens'
  | 'integration consent'
  | 'push subscription'
  | 'webhook secret'
  | 'installation key'
  | 'sign-in record'
  | 'export ticket'

/** The place that a sealed value is bound to. In any other place it cannot be opened (`seal-contexts.ts`). */
export interface SealContext {
  readonly purpose: SealPurpose
  /**
   * The id of the user, or of the grant for a sign-in record. An empty text when the value has neither.
   */
  readonly owner: string
  /** What identifies the row among the owner's rows of this purpose. */
  readonly row: readonly string[]
}

/** Encrypts secrets for the database: keys and tokens. */
export type Sealer = ReturnType<typeof createSealer>

const version = 'v2'
const ivBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM under one key per purpose, derived from `secretKey`, with the context as associated data. Sealing the
 * same text twice gives two different results.
 */
export function createSealer(secretKey: string) {
  const keys = new Map<SealPurpose, Buffer>()
  const keyFor = (purpose: SealPurpose): Buffer => {
    const key = keys.get(purpose) ?? deriveKey(secretKey, `yonder ${version} ${purpose}`)
    keys.set(purpose, key)
    return key
  }
  return {
    seal(secret: string, context: SealContext): string {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', keyFor(context.purpose), iv).setAAD(toBytes(context))
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return `${version}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    /** Throws when the text was sealed with another key or for another context, or was changed. */
    open(sealed: string, context: SealContext): string {
      return decrypt(sealed, keyFor(context.purpose), toBytes(context))
    },
  }
}

function decrypt(sealed: string, key: Buffer, context: Buffer): string {
  const [prefix, text] = sealed.split('.')
  if (prefix !== version || text === undefined)
    throw new Error(
      'A stored secret has an unknown format. Restore the database from a backup, or enter the secret again.',
    )
  const bytes = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(context)
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString(
    'utf8',
  )
}

function deriveKey(secretKey: string, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', info, 32))
}

/** JSON keeps the parts apart, so that two contexts never have the same bytes. */
function toBytes({ purpose, owner, row }: SealContext): Buffer {
  return Buffer.from(JSON.stringify([purpose, owner, row]))
}

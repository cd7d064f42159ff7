import { calculateJwkThumbprint, exportJWK, generateKeyPair, createLocalJWKSet, errors } from 'jose'
import type { JWK, JWTVerifyGetKey } from 'jose'
import { randomBytes } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { findKey, insertKey, replaceKey } from './key-store.ts'

/** A private key. The newest key signs, all verify. `iat` is its creation time in milliseconds. */
export interface SigningKey extends JWK {
  readonly kty: 'RSA'
  readonly n: string
  readonly e: string
  readonly kid: string
  readonly iat: number
}

export interface IdentityKeys {
  readonly signing: readonly SigningKey[]
  /** Signs the provider's cookies. */
  readonly cookie: string
  /** Binds a form to its interaction. */
  readonly form: string
}

const dayMs = 86_400_000
/** The first start after this age replaces a signing key. */
const maxSigningAgeMs = 90 * dayMs
/** Until this age a key still verifies. Everything it signed has expired by then: a sign-in lives 30 days. */
const maxVerifyingAgeMs = maxSigningAgeMs + 40 * dayMs

/**
 * The provider's keys. The first start creates them and stores them sealed in the database, so that all nodes share them
 * and a stolen database file reveals none.
 * @throws when they were sealed with another secret
 */
export async function requireIdentityKeys(db: Db, sealer: Sealer, now: number): Promise<IdentityKeys> {
  const [signing, cookie, form] = await Promise.all([
    rotateSigningKeys(db, sealer, now),
    requireKey(db, sealer, 'cookie', now, randomKey),
    requireKey(db, sealer, 'form', now, randomKey),
  ])
  return { signing, cookie, form }
}

/** The signing keys as they are stored now; another node may have added one. */
export async function readSigningKeys(db: Db, sealer: Sealer, now: number): Promise<readonly SigningKey[]> {
  const text = await requireKey(db, sealer, 'signing', now, async () =>
    JSON.stringify([await makeSigningKey(now)]),
  )
  return JSON.parse(text) as SigningKey[]
}

/** Adds a new key in front when the newest is too old; `maxAgeMs` 0 does so at once (§15.17). */
export async function rotateSigningKeys(
  db: Db,
  sealer: Sealer,
  now: number,
  maxAgeMs: number = maxSigningAgeMs,
): Promise<readonly SigningKey[]> {
  const known = await readSigningKeys(db, sealer, now)
  if (now - (known[0]?.iat ?? 0) < maxAgeMs) return known
  const stored = await findKey(db, 'signing')
  const next = [await makeSigningKey(now), ...known.filter(({ iat }) => now - iat < maxVerifyingAgeMs)]
  if (stored === undefined) return known
  const done = await replaceKey(db, 'signing', stored, sealer.seal(JSON.stringify(next)))
  return done ? next : readSigningKeys(db, sealer, now)
}

async function requireKey(
  db: Db,
  sealer: Sealer,
  name: string,
  now: number,
  make: () => string | Promise<string>,
): Promise<string> {
  if ((await findKey(db, name)) === undefined) await insertKey(db, name, sealer.seal(await make()), now)
  const sealed = await findKey(db, name)
  if (sealed === undefined) throw new Error(`The key "${name}" could not be stored.`)
  try {
    return sealer.open(sealed)
  } catch (cause) {
    throw new Error(
      'The stored keys were sealed with another secret. Start with the SECRET_KEY (or the secret.key in DATA_DIR) that belongs to this database.',
      { cause },
    )
  }
}

function randomKey(): string {
  return randomBytes(32).toString('base64url')
}

async function makeSigningKey(now: number): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
  const jwk = await exportJWK(privateKey)
  const { n = '', e = '' } = jwk
  const kid = await calculateJwkThumbprint(jwk)
  return { ...jwk, kty: 'RSA', n, e, use: 'sig', alg: 'RS256', kid, iat: now }
}

/** How often signing keys of other nodes are read from the database at most. */
const minReadIntervalMs = 10_000

/** The public keys. For an unknown key id they are read again, because another node may have added a key. */
export function createSharedKeys(
  first: readonly SigningKey[],
  read: () => Promise<readonly SigningKey[]>,
  now: () => number,
): JWTVerifyGetKey {
  let find = createLocalJWKSet({ keys: first.map(toPublic) })
  let readAt = now()
  return async (header, token) => {
    try {
      return await find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || now() - readAt < minReadIntervalMs) throw error
      readAt = now()
      find = createLocalJWKSet({ keys: (await read()).map(toPublic) })
      return find(header, token)
    }
  }
}

function toPublic({ kty, n, e, kid }: SigningKey) {
  return { kty, n, e, kid, use: 'sig', alg: 'RS256' } as const
}

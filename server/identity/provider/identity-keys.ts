import { calculateJwkThumbprint, exportJWK, generateKeyPair, createLocalJWKSet, errors } from 'jose'
import type { JWK, JWTVerifyGetKey } from 'jose'
import { randomBytes } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { findKey, insertKey, replaceKey } from './key-store.ts'

/** Private, newest first: the first signs, all verify. `iat` is when it was made, in milliseconds. */
export interface SigningKey extends JWK {
  readonly kty: 'RSA'
  readonly n: string
  readonly e: string
  readonly kid: string
  readonly iat: number
}

export interface IdentityKeys {
  readonly signing: readonly SigningKey[]
  /** Sign the provider's cookies. */
  readonly cookie: string
  /** Binds a form to its interaction. */
  readonly form: string
}

const day = 86_400_000
/** A signing key is replaced at a start after this age … */
const longestUse = 90 * day
/** … and still verifies until everything it signed is long over (a sign-in lives 30 days). */
const longestLife = longestUse + 40 * day

/**
 * The provider's keys, made at first start and kept sealed in the database, so that all nodes share them and a stolen
 * file holds none.
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

/** Puts a new key before the others when the newest has grown old; `maxAge` 0 does so at once. */
export async function rotateSigningKeys(
  db: Db,
  sealer: Sealer,
  now: number,
  maxAge: number = longestUse,
): Promise<readonly SigningKey[]> {
  const known = await readSigningKeys(db, sealer, now)
  if (now - (known[0]?.iat ?? 0) < maxAge) return known
  const stored = await findKey(db, 'signing')
  const next = [await makeSigningKey(now), ...known.filter(({ iat }) => now - iat < longestLife)]
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

/** Milliseconds between two looks for a signing key that another node may have made. */
const keyReadPause = 10_000

/** The public halves; an unknown key id is looked up once more in the database, where another node may have put it. */
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
      if (!(error instanceof errors.JWKSNoMatchingKey) || now() - readAt < keyReadPause) throw error
      readAt = now()
      find = createLocalJWKSet({ keys: (await read()).map(toPublic) })
      return find(header, token)
    }
  }
}

function toPublic({ kty, n, e, kid }: SigningKey) {
  return { kty, n, e, kid, use: 'sig', alg: 'RS256' } as const
}

import { calculateJwkThumbprint, exportJWK, generateKeyPair, createLocalJWKSet, errors } from 'jose'
import type { JWK, JWTVerifyGetKey } from 'jose'
import { randomBytes } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { installationKeyContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { findKey, insertKey, replaceKey } from './key-store.ts'

/** A private key. The newest one signs tokens, and all of them verify tokens. */
export interface SigningKey extends JWK {
  readonly kty: 'RSA'
  readonly n: string
  readonly e: string
  readonly kid: string
  /** The time of creation, in milliseconds since 1970. */
  readonly iat: number
}

export interface IdentityKeys {
  /** The newest key is the first one. */
  readonly signing: readonly SigningKey[]
  /** Signs the cookies of the provider. */
  readonly cookie: string
  /** Signs the hidden token of each form of the sign-in pages. */
  readonly form: string
  /** Derives a refresh token from the one that it replaces. */
  readonly refresh: string
}

export interface KeyDeps {
  readonly db: Db
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const dayMs = 86_400_000
/** A start of the server replaces a signing key of this age. */
const maxSigningAgeMs = 90 * dayMs
/** Older keys are deleted. All tokens that they signed have expired by then, because a grant is valid for 30 days. */
const maxVerifyingAgeMs = maxSigningAgeMs + 40 * dayMs

/**
 * The keys of the provider, with a new signing key when the newest one is too old. The first start creates them and
 * stores them encrypted in the database. So all nodes share them, and a copy of the database does not reveal them.
 * @throws when they were encrypted with another SECRET_KEY
 */
export async function requireIdentityKeys(deps: KeyDeps): Promise<IdentityKeys> {
  const [signing, cookie, form, refresh] = await Promise.all([
    rotateSigningKeys(deps),
    requireKey(deps, 'cookie', generateSecret),
    requireKey(deps, 'form', generateSecret),
    requireKey(deps, 'refresh', generateSecret),
  ])
  return { signing, cookie, form, refresh }
}

/**
 * Adds a new signing key before the others when the newest one is older than `maxAgeMs`, and deletes those that no valid
 * token needs. When several nodes do this at the same time, one of them succeeds and the others use its key (§15.17).
 */
export async function rotateSigningKeys(
  deps: KeyDeps,
  maxAgeMs: number = maxSigningAgeMs,
): Promise<readonly SigningKey[]> {
  const { db, sealer } = deps
  const now = deps.now()
  const known = await readSigningKeys(deps)
  if (now - (known[0]?.iat ?? 0) < maxAgeMs) return known
  const stored = await findKey(db, 'signing')
  if (stored === undefined) return known
  const next = [await generateSigningKey(now), ...known.filter(({ iat }) => now - iat < maxVerifyingAgeMs)]
  const sealed = sealer.seal(JSON.stringify(next), installationKeyContext('signing'))
  const isReplaced = await replaceKey(db, 'signing', stored, sealed)
  return isReplaced ? next : readSigningKeys(deps)
}

async function readSigningKeys(deps: KeyDeps): Promise<readonly SigningKey[]> {
  const text = await requireKey(deps, 'signing', async () =>
    JSON.stringify([await generateSigningKey(deps.now())]),
  )
  return JSON.parse(text) as SigningKey[]
}

/** Returns the decrypted key with this name. Generates and stores it when there is none. */
async function requireKey(
  { db, sealer, now }: KeyDeps,
  name: string,
  generate: () => string | Promise<string>,
): Promise<string> {
  if ((await findKey(db, name)) === undefined) {
    await insertKey(db, name, sealer.seal(await generate(), installationKeyContext(name)), now())
  }
  const sealed = await findKey(db, name)
  if (sealed === undefined) throw new Error(`The key "${name}" could not be stored.`)
  try {
    return sealer.open(sealed, installationKeyContext(name))
  } catch (cause) {
    throw new Error(
      'The stored keys were sealed with another secret. Start with the SECRET_KEY (or the secret.key in DATA_DIR) that belongs to this database.',
      { cause },
    )
  }
}

function generateSecret(): string {
  return randomBytes(32).toString('base64url')
}

async function generateSigningKey(now: number): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
  const jwk = await exportJWK(privateKey)
  const { n = '', e = '' } = jwk
  const kid = await calculateJwkThumbprint(jwk)
  return { ...jwk, kty: 'RSA', n, e, use: 'sig', alg: 'RS256', kid, iat: now }
}

/** Unknown key ids cause at most one query in this time. */
const minReadIntervalMs = 10_000

/**
 * Returns a function that finds the public key of a token. It reads the stored keys again when it does not find the key
 * id, because another node may have added a key.
 */
export function createKeyFinder(deps: KeyDeps, initial: readonly SigningKey[]): JWTVerifyGetKey {
  let find = createLocalJWKSet({ keys: initial.map(toPublic) })
  let readAt = deps.now()
  return async (header, token) => {
    try {
      return await find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || deps.now() - readAt < minReadIntervalMs) throw error
      readAt = deps.now()
      find = createLocalJWKSet({ keys: (await readSigningKeys(deps)).map(toPublic) })
      return find(header, token)
    }
  }
}

function toPublic({ kty, n, e, kid }: SigningKey) {
  return { kty, n, e, kid, use: 'sig', alg: 'RS256' } as const
}

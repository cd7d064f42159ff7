import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  createLocalJWKSet,
  errors,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose'
import { ensureSealedKey, type KeyDeps } from '../../db/secrets/ensure-key.ts'
import { replaceKey } from '../../db/secrets/key-store.ts'
import { installationKeyContext } from '../../db/secrets/seal-contexts.ts'
import { randomSecret } from '../../lib/secret.ts'
import { SingleFlight } from '../../lib/single-flight.ts'

/** A private key. The newest one signs tokens, and all of them verify tokens. */
export interface SigningKey extends JWK {
  readonly kty: 'RSA'
  readonly n: string
  readonly e: string
  readonly kid: string
  /** The time of creation, in milliseconds since 1970 as stored keys have it, not in seconds as in a token. */
  readonly iat: number
}

export interface IdentityKeys {
  readonly signing: SigningKeys
  /** Signs the cookies of the provider. */
  readonly cookie: string
  /** Signs the hidden token of each form of the sign-in pages. */
  readonly form: string
  /** Derives a refresh token from the one that it replaces. */
  readonly refresh: string
}

const dayMs = 86_400_000
/** A new signing key is added when the newest one has this age. */
const maxSigningAgeMs = 90 * dayMs
/** A key verifies tokens at least this long after a newer one signs them. A grant and its tokens end after 30 days. */
const verifyingMs = 40 * dayMs

/**
 * The keys of the provider, with a new signing key when the newest one is too old. The first start creates them and
 * stores them encrypted in the database. So all nodes share them, and a copy of the database does not reveal them.
 * @throws AppError when they were encrypted with another SECRET_KEY
 */
export async function ensureIdentityKeys(deps: KeyDeps): Promise<IdentityKeys> {
  const signing = new SigningKeys(deps)
  const [cookie, form, refresh] = await Promise.all([
    ensureKey(deps, 'cookie', randomSecret),
    ensureKey(deps, 'form', randomSecret),
    ensureKey(deps, 'refresh', randomSecret),
    signing.read(),
  ])
  return { signing, cookie, form, refresh }
}

/**
 * When the newest signing key has the age `maxAgeMs`, adds a new one before the others and deletes those that no valid
 * token needs. When several nodes do this at the same time, one of them succeeds and the others use its key. Returns the stored keys, the newest one first.
 */
export async function rotateSigningKeys(
  deps: KeyDeps,
  maxAgeMs: number = maxSigningAgeMs,
): Promise<readonly SigningKey[]> {
  const { db, sealer } = deps
  const now = deps.now()
  const { keys, sealed } = await readSigningKeys(deps)
  if (now - (keys[0]?.iat ?? 0) < maxAgeMs) return keys
  // The newest key has signed tokens until now, whatever its age is.
  const verifying = keys.filter((_, index) => now - (keys[index - 1]?.iat ?? now) < verifyingMs)
  const next = [await generateSigningKey(now), ...verifying]
  const isReplaced = await replaceKey(
    db,
    'signing',
    sealed,
    sealer.seal(JSON.stringify(next), installationKeyContext('signing')),
  )
  return isReplaced ? next : (await readSigningKeys(deps)).keys
}

/** Returns the stored keys, and the text from which they were decrypted. */
async function readSigningKeys(
  deps: KeyDeps,
): Promise<{ readonly keys: readonly SigningKey[]; readonly sealed: string }> {
  const { value, sealed } = await ensureSealedKey(deps, 'signing', async () =>
    JSON.stringify([await generateSigningKey(deps.now())]),
  )
  return { keys: JSON.parse(value) as SigningKey[], sealed }
}

async function ensureKey(deps: KeyDeps, name: string, generate: () => string): Promise<string> {
  return (await ensureSealedKey(deps, name, generate)).value
}

async function generateSigningKey(now: number): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
  const jwk = await exportJWK(privateKey)
  const { n = '', e = '' } = jwk
  const kid = await calculateJwkThumbprint(jwk)
  return { ...jwk, kty: 'RSA', n, e, use: 'sig', alg: 'RS256', kid, iat: now }
}

/** Unknown key ids cause one query in this time at most. Short, because a refused token signs a user out. */
const minReadIntervalMs = 1_000

/**
 * The signing keys of the installation, which any node may replace at any time. They are read from the database
 * whenever the provider is used, and when a token has an unknown key id, so that no node has to be restarted.
 */
export class SigningKeys {
  readonly #deps: KeyDeps
  readonly #reading = new SingleFlight<readonly SigningKey[]>()
  #known: readonly SigningKey[] = []
  #findKnown = createLocalJWKSet({ keys: [] })
  #readForTokenAt = -Infinity

  constructor(deps: KeyDeps) {
    this.#deps = deps
  }

  /**
   * Adds a signing key when the newest one is too old, and returns the keys that are stored then, the newest one first.
   * The array is the same until the keys change.
   */
  read(): Promise<readonly SigningKey[]> {
    return this.#reading.run('signing', async () => {
      const stored = await rotateSigningKeys(this.#deps)
      // Keys are only removed together with the addition of a newer one.
      if (stored[0]?.kid !== this.#known[0]?.kid) {
        this.#known = stored
        this.#findKnown = createLocalJWKSet({ keys: stored.map(toPublic) })
      }
      return this.#known
    })
  }

  /** Returns the public key of a token. The database is read only when the key id is unknown. */
  readonly findPublicKey: JWTVerifyGetKey = async (header, token) => {
    try {
      return await this.#findKnown(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      if (this.#deps.now() - this.#readForTokenAt < minReadIntervalMs) throw error
      // Tokens that arrive during the read wait for it too.
      await this.read()
      this.#readForTokenAt = this.#deps.now()
      return this.#findKnown(header, token)
    }
  }
}

function toPublic({ kty, n, e, kid }: SigningKey) {
  return { kty, n, e, kid, use: 'sig', alg: 'RS256' } as const
}

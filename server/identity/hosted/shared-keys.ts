import { createLocalJWKSet, errors } from 'jose'
import type { JWTVerifyGetKey } from 'jose'
import type { SigningKey } from '../provider/require-identity-keys.ts'

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

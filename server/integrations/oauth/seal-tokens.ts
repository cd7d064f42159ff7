import { integrationTokensContext } from '../../db/secrets/seal-contexts.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { IntegrationRow } from '../../db/tables/integration-tables.ts'
import type { GoogleTokens } from './google-client.ts'

/** The tokens of an integration, which are stored encrypted. The scopes are not secret and have their own column. */
export interface StoredTokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Encrypts tokens for `owner`. `refreshToken` is separate, because Google does not return it with every refresh. */
export function sealGoogleTokens(
  sealer: Sealer,
  owner: Pick<IntegrationRow, 'user_id' | 'name'>,
  { accessToken, expiresAt }: GoogleTokens,
  refreshToken: string,
): string {
  const tokens: StoredTokens = { accessToken, refreshToken, expiresAt }
  return sealer.seal(JSON.stringify(tokens), integrationTokensContext(owner))
}

/** Decrypts tokens. Returns undefined when they cannot be decrypted, because SECRET_KEY has changed. */
export function openGoogleTokens(
  sealer: Sealer,
  row: Pick<IntegrationRow, 'user_id' | 'name'>,
  sealed: string,
): StoredTokens | undefined {
  try {
    return JSON.parse(sealer.open(sealed, integrationTokensContext(row))) as StoredTokens
  } catch {
    return undefined
  }
}

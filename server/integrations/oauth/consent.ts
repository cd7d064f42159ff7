import { createHash, randomBytes } from 'node:crypto'
import { isGoogleIntegration, titleOfIntegration } from '@yonder/contract/integration-names'
import type { GoogleIntegration } from '@yonder/contract/integration-names'
import type { IntegrationRow } from '../../db/tables/integration-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import { requireIntegration, unconnected, updateIntegration } from '../integration-store.ts'
import type { Owner } from '../integration-store.ts'
import {
  deleteExpiredIntegrationConsents,
  insertIntegrationConsent,
  takeIntegrationConsent,
} from './consent-store.ts'
import type { GoogleTokens } from './google-client.ts'
import { googleScopes } from './scopes.ts'
import { revokeInBackground, sealGoogleTokens } from './tokens.ts'

/** The user must return from Google within this time. */
const maxConsentMs = 10 * 60_000

export interface ConsentResponse {
  readonly code: string
  readonly state: string | undefined
}

/**
 * Returns the address of Google's consent page for a user's integration. The user returns with a state that is valid
 * once, for this user and this integration (§17.25).
 * @throws AppError `not_found`, `invalid_request`, `conflict`
 */
export async function startGoogleConsent(deps: IntegrationDeps, user: Owner, name: string): Promise<string> {
  const { database, sealer, now } = deps
  await requireIntegration(database.db, user, name)
  requireGoogleIntegration(name)
  const google = await deps.loadGoogle()
  const state = randomBytes(32).toString('base64url')
  const verifier = randomBytes(32).toString('base64url')
  await deleteExpiredIntegrationConsents(database.db, now())
  await insertIntegrationConsent(database.db, {
    state_hash: hashState(state),
    user_id: user.id,
    name,
    verifier: sealer.seal(verifier),
    expires_at: now() + maxConsentMs,
  })
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return google.authorizationUrl(name, state, challenge)
}

/**
 * Redeems the code with which a user returns from Google, once, and connects the integration (§19.8).
 * @throws AppError that says why it was not connected
 */
export async function finishGoogleConsent(
  deps: IntegrationDeps,
  user: Owner,
  name: string,
  { code, state }: ConsentResponse,
): Promise<IntegrationRow> {
  const { database, sealer, now } = deps
  const { db } = database
  const stored = await requireIntegration(db, user, name)
  requireGoogleIntegration(name)
  const google = await deps.loadGoogle()
  const key = { state_hash: hashState(state ?? ''), user_id: user.id, name }
  const consent = await takeIntegrationConsent(db, key, now())
  if (consent === undefined) {
    throw new AppError(
      'conflict',
      `This return from Google was already used, is older than ten minutes, or belongs to another user. Connect ${titleOfIntegration(name)} again.`,
    )
  }
  const tokens = await google.redeemCode(name, code, sealer.open(consent.verifier))
  const revoke = (): void => revokeInBackground(deps, user, tokens.accessToken)
  const refreshToken = requireUsable(name, tokens, revoke)
  const change = {
    ...unconnected,
    tokens: sealGoogleTokens(sealer, tokens, refreshToken),
    scopes: tokens.scopes.join(' '),
  }
  if (!(await updateIntegration(db, stored, change, stored.version))) {
    revoke()
    const title = titleOfIntegration(name)
    throw new AppError(
      'conflict',
      `${title} was connected or disconnected in the meantime. Connect it again.`,
    )
  }
  deps.onChanged(user.id)
  return requireIntegration(db, user, name)
}

/** Returns the refresh token. Tokens that cannot be used are revoked (§19.8). */
function requireUsable(
  name: GoogleIntegration,
  { refreshToken, scopes }: GoogleTokens,
  revoke: () => void,
): string {
  const title = titleOfIntegration(name)
  const refuse = (message: string): AppError => {
    revoke()
    return new AppError('conflict', message)
  }
  if (!googleScopes[name].some(({ scope }) => scopes.includes(scope))) {
    throw refuse(
      `You did not allow anything at Google that ${title} needs. Connect again and tick the boxes there.`,
    )
  }
  if (refreshToken === null) {
    throw refuse(
      `Google gave access for an hour only. Remove Yonder from the third-party apps of your Google account and connect ${title} again.`,
    )
  }
  return refreshToken
}

/** @throws AppError `invalid_request` */
function requireGoogleIntegration(name: string): asserts name is GoogleIntegration {
  if (isGoogleIntegration(name)) return
  throw new AppError('invalid_request', `${titleOfIntegration(name)} is connected with an API key.`)
}

/** Only the hash is stored, so that reading the table does not reveal a valid state. */
function hashState(state: string): string {
  return createHash('sha256').update(state).digest('base64url')
}

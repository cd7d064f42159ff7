import type { IntegrationCallback } from '@yonder/contract/integration'
import {
  isGoogleIntegration,
  titleOfIntegration,
  type GoogleIntegration,
} from '@yonder/contract/integration-names'
import { type Actor, ownedBy } from '../../access/access.ts'
import { openJson } from '../../db/secrets/credential.ts'
import { integrationConsentContext } from '../../db/secrets/seal-contexts.ts'
import type { IntegrationRow } from '../../db/tables/integration-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { hashSecret, randomSecret } from '../../lib/secret.ts'
import { sealGoogleTokens } from '../integration-credential.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import {
  disconnected,
  insertIntegrationConsent,
  requireIntegration,
  takeIntegrationConsent,
  updateIntegration,
} from '../integration-store.ts'
import { revokeInBackground } from './google-access.ts'
import type { GoogleTokens } from './google-client.ts'
import { googleScopes } from './scopes.ts'

/** The user must return from Google within this time. */
const maxConsentMs = 10 * 60_000

/**
 * Starts the consent of a user at Google and returns the address of the consent page. Its state is valid once, for
 * ten minutes, for this user and this integration.
 * @throws AppError `not_found` for an integration that the user has not added, `invalid_request` for one with an API
 * key, `conflict` when Google is not set up on this server
 */
export async function startGoogleConsent(deps: IntegrationDeps, user: Actor, name: string): Promise<string> {
  const { database, sealer, now } = deps
  await requireIntegration(database.db, user, name)
  requireGoogleIntegration(name)
  const google = await deps.loadGoogle()
  const state = randomSecret()
  const verifier = randomSecret()
  const key = { state_hash: hashSecret(state), ...ownedBy(user), name }
  const sealed = sealer.seal(JSON.stringify(verifier), integrationConsentContext(key))
  const consent = { ...key, verifier: sealed, expires_at: now() + maxConsentMs }
  await insertIntegrationConsent(database.db, consent, now())
  return google.authorizationUrl(name, state, hashSecret(verifier))
}

/**
 * Redeems the code with which a user returns from Google, connects the integration and returns it. The state is
 * used up first, so a code is redeemed at most once.
 * @throws AppError that explains why it was not connected
 */
export async function finishGoogleConsent(
  deps: IntegrationDeps,
  user: Actor,
  name: string,
  { code, state }: IntegrationCallback,
): Promise<IntegrationRow> {
  const { database, sealer, now } = deps
  const { db } = database
  const stored = await requireIntegration(db, user, name)
  requireGoogleIntegration(name)
  const google = await deps.loadGoogle()
  const key = { state_hash: hashSecret(state ?? ''), ...ownedBy(user), name }
  const consent = await takeIntegrationConsent(db, key, now())
  const verifier =
    consent && (openJson(sealer, integrationConsentContext(consent), consent.verifier) as string | undefined)
  if (verifier === undefined) {
    throw new AppError(
      'conflict',
      `This sign-in at Google was already used, was started more than ten minutes ago, or belongs to another user. Connect ${titleOfIntegration(name)} again.`,
    )
  }
  const tokens = await google.redeemCode(name, code, verifier)
  const revoke = (): void => revokeInBackground(deps, user, tokens.accessToken)
  const refreshToken = requireRefreshToken(name, tokens, revoke)
  const change = {
    ...disconnected,
    tokens: sealGoogleTokens(sealer, stored, tokens, refreshToken),
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

/**
 * Returns the refresh token. Calls `revoke` before it throws.
 * @throws AppError `conflict` when none of the needed scopes was granted, or when there is no refresh token
 */
function requireRefreshToken(
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
      `You did not allow anything that ${title} needs. Connect again and tick the boxes on Google's page.`,
    )
  }
  if (refreshToken === null) {
    throw refuse(
      `Google granted access for one hour only. Remove Yonder from the third-party apps of your Google account, then connect ${title} again.`,
    )
  }
  return refreshToken
}

/** @throws AppError `invalid_request` */
function requireGoogleIntegration(name: string): asserts name is GoogleIntegration {
  if (isGoogleIntegration(name)) return
  const title = titleOfIntegration(name)
  throw new AppError(
    'invalid_request',
    `${title} needs an API key and no sign-in at Google. Enter the key under Settings, Integrations.`,
  )
}

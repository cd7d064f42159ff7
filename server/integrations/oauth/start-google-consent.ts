import { createHash, randomBytes } from 'node:crypto'
import type { GoogleIntegration } from '@yonder/contract/integration-names'
import { isGoogleIntegration, titleOfIntegration } from '@yonder/contract/integration-names'
import { AppError } from '../../lib/app-error.ts'
import { deleteOldIntegrationConsents, insertIntegrationConsent } from './integration-consent-store.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import { requireIntegration } from '../integration-store.ts'
import type { Owner } from '../integration-store.ts'
import { requireGoogle } from '../require-google.ts'

/** Milliseconds in which a person must come back. */
const consentTime = 10 * 60_000

/**
 * The page at Google where a person gives their consent for an integration of theirs. They come back with a state that
 * counts once, for this person and this integration.
 * @throws AppError `not_found`, `invalid_request`, `conflict`
 */
export async function startGoogleConsent(deps: IntegrationDeps, user: Owner, name: string): Promise<string> {
  const { database, sealer, now } = deps
  await requireIntegration(database.db, user, name)
  requireGoogleIntegration(name)
  const google = await requireGoogle(deps)
  const state = randomBytes(32).toString('base64url')
  const verifier = randomBytes(32).toString('base64url')
  await deleteOldIntegrationConsents(database.db, now())
  await insertIntegrationConsent(database.db, {
    state_hash: hashState(state),
    user_id: user.id,
    name,
    verifier: sealer.seal(verifier),
    expires_at: now() + consentTime,
  })
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return google.authorizationUrl(name, state, challenge)
}

/** @throws AppError `invalid_request` */
export function requireGoogleIntegration(name: string): asserts name is GoogleIntegration {
  if (isGoogleIntegration(name)) return
  throw new AppError('invalid_request', `${titleOfIntegration(name)} is connected with an API key.`)
}

/** What is stored of a state: whoever reads the table does not hold it. */
export function hashState(state: string): string {
  return createHash('sha256').update(state).digest('base64url')
}

import { titleOfIntegration } from '@yonder/contract/integration-names'
import type { GoogleIntegration } from '@yonder/contract/integration-names'
import type { IntegrationRow } from '../../db/tables/integration-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { giveBackToken } from './revoke-google-token.ts'
import type { GoogleTokens } from './google-client.ts'
import { googleScopes } from './google-scopes.ts'
import { takeIntegrationConsent } from './integration-consent-store.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import { requireIntegration, unconnected, updateIntegration } from '../integration-store.ts'
import type { Owner } from '../integration-store.ts'
import { requireGoogle } from '../require-google.ts'
import { sealGoogleTokens } from './sealed-google-tokens.ts'
import { hashState, requireGoogleIntegration } from './start-google-consent.ts'

export interface ReturnedCode {
  readonly code: string
  readonly state: string | undefined
}

/**
 * Takes a person back from Google: the code is redeemed once, for whoever was sent away, and the integration is connected.
 * @throws AppError that says why it is not
 */
export async function finishGoogleConsent(
  deps: IntegrationDeps,
  user: Owner,
  name: string,
  { code, state }: ReturnedCode,
): Promise<IntegrationRow> {
  const { database, sealer, now } = deps
  const { db } = database
  const before = await requireIntegration(db, user, name)
  requireGoogleIntegration(name)
  const google = await requireGoogle(deps)
  const key = { state_hash: hashState(state ?? ''), user_id: user.id, name }
  const consent = await takeIntegrationConsent(db, key, now())
  if (consent === undefined) {
    throw new AppError(
      'conflict',
      `This return from Google has been used, is older than ten minutes, or is not yours. Connect ${titleOfIntegration(name)} again.`,
    )
  }
  const given = await google.redeemCode(name, code, sealer.open(consent.verifier))
  const giveBack = (): void => giveBackToken(deps, user, given.accessToken)
  const refreshToken = requireUsable(name, given, giveBack)
  const change = {
    ...unconnected,
    tokens: sealGoogleTokens(sealer, given, refreshToken),
    scopes: given.scopes.join(' '),
  }
  if (!(await updateIntegration(db, before, change, before.version))) {
    giveBack()
    const title = titleOfIntegration(name)
    throw new AppError('conflict', `${title} was connected or disconnected meanwhile. Connect it again.`)
  }
  deps.onChanged(user.id)
  return requireIntegration(db, user, name)
}

/** What cannot be used is given back. */
function requireUsable(
  name: GoogleIntegration,
  { refreshToken, scopes }: GoogleTokens,
  giveBack: () => void,
): string {
  const title = titleOfIntegration(name)
  const refuse = (message: string): AppError => {
    giveBack()
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

import { setTimeout } from 'node:timers/promises'
import type { GoogleIntegration } from '@yonder/contract/integration-names'
import { AppError } from '../../lib/app-error.ts'
import { endGoogleConsent } from './end-google-consent.ts'
import { findGoogleTokens } from './find-google-tokens.ts'
import type { FoundTokens } from './find-google-tokens.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import { endRenewal, reserveRenewal } from '../integration-store.ts'
import { requireGoogle } from '../require-google.ts'
import { sealGoogleTokens } from './sealed-google-tokens.ts'

/** Milliseconds after which a process that renews tokens counts as dead. */
const longestRenewal = 30_000
/** Milliseconds between two looks at whether another process is done. */
const look = 100

/**
 * Renews tokens, once however many want them and on however many nodes.
 * @throws AppError `not_connected` when Google has ended the consent; `upstream_…` when it does not answer as it should
 */
export function renewGoogleTokens(
  deps: IntegrationDeps,
  name: GoogleIntegration,
  found: FoundTokens,
): Promise<FoundTokens> {
  const { row } = found
  const key = `${row.user_id} ${name} ${row.version} ${row.tokens}`
  const running = deps.renewing.get(key) as Promise<FoundTokens> | undefined
  if (running !== undefined) return running
  const work = renewOnce(deps, name, found).finally(() => deps.renewing.delete(key))
  deps.renewing.set(key, work)
  return work
}

async function renewOnce(
  deps: IntegrationDeps,
  name: GoogleIntegration,
  { row, tokens }: FoundTokens,
): Promise<FoundTokens> {
  const { sealer, now } = deps
  const { db } = deps.database
  const google = await requireGoogle(deps)
  if (!(await reserveRenewal(db, row, now(), now() + longestRenewal))) return waitForOther(deps, name, row)
  try {
    const given = await google.renewTokens(name, tokens.refreshToken)
    if (given === undefined) {
      await endGoogleConsent(deps, row)
    } else {
      const sealed = sealGoogleTokens(sealer, given, given.refreshToken ?? tokens.refreshToken)
      const scopes = given.scopes.join(' ')
      const isKept = await endRenewal(db, row, { tokens: sealed, scopes })
      if (isKept && scopes !== row.scopes) deps.onChanged(row.user_id)
    }
  } catch (error) {
    await endRenewal(db, row, {})
    throw error
  }
  // What stands there now counts: it may have been disconnected meanwhile.
  return findGoogleTokens(deps, row.user_id, name)
}

async function waitForOther(
  deps: IntegrationDeps,
  name: GoogleIntegration,
  { user_id, tokens }: FoundTokens['row'],
): Promise<FoundTokens> {
  const deadline = deps.now() + longestRenewal
  while (deps.now() < deadline) {
    const current = await findGoogleTokens(deps, user_id, name)
    if (current.row.tokens !== tokens) return current
    if (current.row.refreshing_until === null) break
    await setTimeout(look, undefined, { signal: deps.closing })
  }
  throw new AppError('upstream_unreachable', 'Google cannot be reached.')
}

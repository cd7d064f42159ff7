import { isGoogleIntegration } from '@yonder/contract/integration-names'
import type { IntegrationDeps } from '../integration-deps.ts'
import { listIntegrations } from '../integration-store.ts'
import type { Owner } from '../integration-store.ts'
import { requireGoogle } from '../require-google.ts'

/**
 * Ends at Google what a token stands for, behind the scenes. Google ends everything then that the person has allowed us in
 * that account, so it is left alone while another integration of theirs lives on it.
 */
export function giveBackToken(deps: IntegrationDeps, user: Owner, token: string): void {
  deps.inBackground(revoke(deps, user, token))
}

async function revoke(deps: IntegrationDeps, user: Owner, token: string): Promise<void> {
  const integrations = await listIntegrations(deps.database.db, user)
  if (integrations.some(({ name, tokens }) => isGoogleIntegration(name) && tokens !== null)) return
  const google = await requireGoogle(deps)
  await google.revokeToken(token)
}

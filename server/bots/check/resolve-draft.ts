import type { EndpointDraft } from '@yonder/contract/bot'
import { type Actor, ownedBy } from '../../access/access.ts'
import type { Database } from '../../db/database.ts'
import { newId } from '../../lib/new-id.ts'
import type { ModelEndpoint } from '../../models/endpoint.ts'
import { emptyBot, applyBotInput, type BotSecretDeps } from '../bot-fields.ts'
import { resolveEndpoint } from '../bot-model.ts'
import { requireBot } from '../bot-store.ts'

export interface DraftDeps extends BotSecretDeps {
  readonly database: Pick<Database, 'db'>
}

/** Appears in messages about a bot that has no name yet. */
const newBotName = 'New bot'

/**
 * Returns the address and key with which the bot would be called if its form were saved now, or null for the demo
 * model, under the same rules: the stored key is used only while its address is unchanged, and the operator's key only
 * for the operator's address.
 * @throws AppError `not_found`, `invalid_request`, `bot_misconfigured`
 */
export async function resolveDraft(
  { database, ...deps }: DraftDeps,
  user: Actor,
  { name, ...draft }: EndpointDraft,
  model: string,
): Promise<ModelEndpoint | null> {
  const stored =
    name === null || name === undefined || name === ''
      ? { ...emptyBot, id: newId(), ...ownedBy(user), name: newBotName, is_default: 0, created_at: 0 }
      : await requireBot(database.db, user, name)
  const change = applyBotInput(deps, stored, {
    ...draft,
    connectorIds: undefined,
    name: stored.name,
    model,
  })
  return resolveEndpoint({ ...stored, ...change }, deps)
}

import type { Db } from '../database.ts'
import { openCredential } from './credential.ts'
import { botKeyContext, installationKeyContext, integrationKeyContext } from './seal-contexts.ts'
import type { Sealer } from './seal-secret.ts'

/** How sealed values of the current format begin. */
const sealed = 'v2.%'

/**
 * Whether the key of this sealer is the one with which the database was used. Null when nothing is sealed that would show
 * it. The keys of the built-in sign-in decide; without them, as with a provider of one's own, a key of a user does.
 */
export async function fitsSecretKey(db: Db, sealer: Sealer): Promise<boolean | null> {
  const keys = await db.selectFrom('keys').select(['name', 'value']).where('value', 'like', sealed).execute()
  if (keys.length > 0) {
    return keys.every(({ name, value }) => opens(() => sealer.open(value, installationKeyContext(name))))
  }
  const bots = await db
    .selectFrom('bots')
    .select(['id', 'user_id', 'api_key'])
    .where('api_key', 'like', sealed)
    .limit(maxSamples)
    .execute()
  const integrations = await db
    .selectFrom('integrations')
    .select(['user_id', 'name', 'api_key'])
    .where('api_key', 'like', sealed)
    .limit(maxSamples)
    .execute()
  if (bots.length + integrations.length === 0) return null
  // Some may remain from a former key.
  return (
    bots.some((bot) => opens(() => openCredential(sealer, botKeyContext(bot), bot.api_key ?? ''))) ||
    integrations.some((row) =>
      opens(() => openCredential(sealer, integrationKeyContext(row), row.api_key ?? '')),
    )
  )
}

const maxSamples = 100

function opens(open: () => unknown): boolean {
  try {
    open()
    return true
  } catch {
    return false
  }
}

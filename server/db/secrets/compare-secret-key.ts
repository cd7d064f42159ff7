import type { Db } from '../database.ts'
import { openCredential } from './credential.ts'
import { botKeyContext, installationKeyContext, integrationKeyContext } from './seal-contexts.ts'
import type { Sealer } from './seal-secret.ts'

/** The LIKE pattern of values that are sealed in the current format. */
const sealedPattern = 'v2.%'

/**
 * Returns whether the key of this sealer is the one with which the database was used. The keys of the built-in identity
 * provider decide. Without them, API keys of bots and integrations are tried, up to 100 of each. An earlier key may
 * have sealed all of these, so when none can be opened, the result is only `perhaps differs`. It is `unknown` when
 * there are no such keys, whatever else is sealed.
 */
export async function compareSecretKey(
  db: Db,
  sealer: Sealer,
): Promise<'fits' | 'differs' | 'perhaps differs' | 'unknown'> {
  const keys = await db
    .selectFrom('keys')
    .select(['name', 'value'])
    .where('value', 'like', sealedPattern)
    .execute()
  if (keys.length > 0) {
    return keys.every(({ name, value }) => opens(() => sealer.open(value, installationKeyContext(name))))
      ? 'fits'
      : 'differs'
  }
  const bots = await db
    .selectFrom('bots')
    .select(['id', 'user_id', 'api_key'])
    .where('api_key', 'like', sealedPattern)
    .limit(maxSamples)
    .execute()
  const integrations = await db
    .selectFrom('integrations')
    .select(['user_id', 'name', 'api_key'])
    .where('api_key', 'like', sealedPattern)
    .limit(maxSamples)
    .execute()
  if (bots.length + integrations.length === 0) return 'unknown'
  const isOpened =
    bots.some((bot) => opens(() => openCredential(sealer, botKeyContext(bot), bot.api_key ?? ''))) ||
    integrations.some((row) =>
      opens(() => openCredential(sealer, integrationKeyContext(row), row.api_key ?? '')),
    )
  return isOpened ? 'fits' : 'perhaps differs'
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

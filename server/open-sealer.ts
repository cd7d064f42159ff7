import { addressOfBot } from './bots/bot-fields.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { requireSecretKey } from './db/secrets/require-secret-key.ts'
import { resealSecrets } from './db/secrets/reseal-secrets.ts'
import { createSealer, type Sealer } from './db/secrets/seal-secret.ts'
import { addressOfService } from './integrations/api-key.ts'

/** Creates the sealer with the key of this installation. Secrets that an older version has sealed are sealed again. */
export async function openSealer(config: Config, database: Database): Promise<Sealer> {
  const secretKey = requireSecretKey(config.secretKey, config.dataDir)
  const sealer = createSealer(secretKey)
  await resealSecrets(database, {
    sealer,
    secretKey,
    addressOfBot: (bot) => addressOfBot(bot, config),
    addressOfIntegration: ({ name }) => addressOfService(config.apiKeyServices, name),
  })
  return sealer
}

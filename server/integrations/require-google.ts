import { AppError } from '../lib/app-error.ts'
import type { GoogleClient } from './oauth/google-client.ts'
import type { IntegrationDeps } from './integration-deps.ts'

/**
 * Us as a client of Google.
 * @throws AppError `conflict` that names what the operator has to set
 */
export function requireGoogle({ loadGoogle }: Pick<IntegrationDeps, 'loadGoogle'>): Promise<GoogleClient> {
  if (loadGoogle !== null) return loadGoogle()
  throw new AppError(
    'conflict',
    'Google is not set up on this installation: its operator has to set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.',
  )
}

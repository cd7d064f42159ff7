import type { IntegrationDeps } from './integration-deps.ts'
import { listIntegrations } from './integration-store.ts'
import { isConnected } from './present-integration.ts'

/** How a person's integration stands, for whoever brings its tools into a chat. */
export interface IntegrationStanding {
  /** Another number: what was opened for the earlier one is not used again. */
  readonly version: number
  /** False: it was connected, and waits to be connected again. */
  readonly isConnected: boolean
}

/** The integrations that a person has connected, those among them too that have ended without their doing. */
export async function listStandings(
  { database: { db } }: Pick<IntegrationDeps, 'database'>,
  userId: string,
): Promise<ReadonlyMap<string, IntegrationStanding>> {
  const rows = await listIntegrations(db, { id: userId })
  return new Map(
    rows
      .filter((row) => isConnected(row) || row.ended === 1)
      .map((row) => [row.name, { version: row.version, isConnected: isConnected(row) }]),
  )
}

import type { Db } from '../../db/database.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { IntegrationAccount, IntegrationConnector } from '../../integrations/integration-connector.ts'
import type { IntegrationStatus } from '../../integrations/integration-credential.ts'
import { defaultConnectorName } from '../connector-name.ts'

/** A connector that comes with the product or an integration. Every user has it, unless it needs an integration. */
export type BuiltInConnector = Omit<IntegrationConnector, 'integration'> &
  Partial<Pick<IntegrationConnector, 'integration'>>

/** A built-in connector that a user has. */
export type OwnedBuiltIn = BuiltInConnector & IntegrationStatus

/** The connectors of the integrations, and their status for each user. */
export interface IntegrationConnectors {
  readonly connectors: readonly BuiltInConnector[]
  /** Returns the status of each integration that the user has connected, by name. */
  listStatuses(userId: string, db?: Db): Promise<ReadonlyMap<string, IntegrationStatus>>
  /** Stores why calls with this account of an integration fail; null when they work. */
  recordFailure(account: IntegrationAccount, integration: string, failure: string | null): Promise<void>
}

/**
 * `missing`: the user has to connect the integration before using the connector. `failed`: the calls of a connector
 * whose server runs in this process fail; a call that works, or connecting the integration again, ends this state.
 */
export type IntegrationState = 'working' | 'missing' | 'failed'

export type BuiltInConnectors = ReturnType<typeof createBuiltInConnectors>

const noIntegrations: IntegrationConnectors = {
  connectors: [],
  listStatuses: () => Promise.resolve(new Map()),
  recordFailure: () => Promise.resolve(),
}

type ConnectorPlace = Pick<ConnectorRow, 'is_default' | 'url'>

export function createBuiltInConnectors(
  now: () => number,
  { connectors, listStatuses, recordFailure }: IntegrationConnectors = noIntegrations,
) {
  const list: BuiltInConnector[] = [
    {
      name: defaultConnectorName,
      url: 'builtin://default',
      slug: 'default',
      server: {
        kind: 'in_process',
        async create() {
          const { createDefaultServer } = await import('./create-default-server.ts')
          return createDefaultServer(now)
        },
      },
    },
    ...connectors,
  ]
  const find = (url: string): BuiltInConnector | undefined => list.find((connector) => connector.url === url)
  const integrationOf = ({ is_default, url }: ConnectorPlace): string | undefined =>
    is_default === 1 ? find(url)?.integration : undefined
  const isInProcess = ({ is_default, url }: ConnectorPlace): boolean =>
    is_default === 1 && find(url)?.server.kind === 'in_process'
  return {
    /** All built-in connectors, in the order in which they are listed. */
    list: list as readonly BuiltInConnector[],
    /** The built-in connector with this address. */
    find,
    /** Whether the connector's server runs in this process, so that its results can be trusted. */
    isInProcess,
    /** The built-in connectors that a user has. */
    async listFor(db: Db, userId: string): Promise<readonly OwnedBuiltIn[]> {
      const statuses = await listStatuses(userId, db)
      return list.flatMap((connector) => {
        if (connector.integration === undefined) return [{ ...connector, version: 1, isConnected: true }]
        const status = statuses.get(connector.integration)
        return status === undefined ? [] : [{ ...connector, ...status }]
      })
    },
    /**
     * Reads the state of the connector's integration, `working` for a connector without one, and the version of the
     * credential that the connector uses now. A row of an integration's connector gets the integration's version only in
     * `syncConnectors`, so the integration itself is read.
     */
    async readIntegration(
      connector: ConnectorRow,
    ): Promise<{ readonly state: IntegrationState; readonly version: number }> {
      const integration = integrationOf(connector)
      const { credential_version: version } = connector
      if (integration === undefined) return { state: 'working', version }
      const status = (await listStatuses(connector.user_id)).get(integration)
      if (status?.isConnected !== true) return { state: 'missing', version: status?.version ?? version }
      const fails = isInProcess(connector) && typeof status.callError === 'string'
      return { state: fails ? 'failed' : 'working', version: status.version }
    },
    /** Stores at the integration of a connector, if it has one, why the connector fails; null when it works. */
    async recordFailure(connector: ConnectorRow, failure: string | null): Promise<void> {
      const integration = integrationOf(connector)
      if (integration === undefined) return
      const account = { userId: connector.user_id, version: connector.credential_version }
      await recordFailure(account, integration, failure)
    },
  }
}

/** Explains to the user and the model why a connector of an integration cannot be used. */
export function explainMissingIntegration(name: string): string {
  return `${name} is no longer connected. Connect it again under Settings, Integrations.`
}

import type { Config } from '../../config/config.ts'
import type { IntegrationConnectors } from '../../connectors/built-in/built-in-connectors.ts'
import { connectConnector } from '../../connectors/connect-connector.ts'
import type { ConnectorDeps } from '../../connectors/connector-deps.ts'
import { connectorLimits, type ConnectorLimits } from '../../connectors/connector-limits.ts'
import { requireConnector } from '../../connectors/connector-store.ts'
import { createConsentRequest } from '../../connectors/oauth/consent-request.ts'
import { openConnectors, type Connectors } from '../../connectors/open-connectors.ts'
import { createConnector } from '../../connectors/save-connector.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { AddressPolicy } from '../../http/outgoing/address-policy.ts'
import type { ConnectorOptions as SocketOptions } from '../../http/outgoing/guarded-connector.ts'
import { guardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { openTestDatabase, type Engine, type TestDatabase } from '../database/test-database.ts'
import { addUser } from '../factories/users.ts'

export interface TestConnectors extends Connectors, ConnectorDeps {
  readonly database: TestDatabase
  /** Stores a user, who needs no sign-in here. */
  addUser(id: string): Promise<{ readonly id: string }>
  /** Creates a connector for a user and connects it. */
  connect(
    userId: string,
    fields: {
      name?: string
      url: string
      token?: string
      headers?: { name: string; value: string }[] | null
      allow_tools?: string[] | null
    },
  ): Promise<ConnectorRow>
  /** The errors that `onError` received. */
  readonly errors: unknown[]
  /** The ids of the users whose connectors changed, one for each notification. */
  readonly changes: string[]
}

export interface TestConnectorsOptions {
  readonly engine?: Engine
  readonly limits?: Partial<ConnectorLimits>
  readonly policy?: Partial<AddressPolicy>
  readonly socket?: SocketOptions
  readonly publicUrl?: string
  readonly clientMetadataUrl?: string | null
  readonly registryUrl?: string | null
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly database?: TestDatabase
  readonly integrations?: IntegrationConnectors
  readonly ceilings?: Partial<Config['ceilings']>
}

/** Opens the connectors with a new database, unless `options` has one. */
export async function openTestConnectors(options: TestConnectorsOptions = {}): Promise<TestConnectors> {
  const database = options.database ?? (await openTestDatabase(options.engine ?? 'sqlite'))
  const now = options.now ?? Date.now
  const errors: unknown[] = []
  const changes: string[] = []
  const sealer = createSealer('a secret of tests that is long enough')
  const guard = (trust: AddressPolicy['trust']) =>
    guardedFetch({
      ...options.socket,
      policy: {
        trust,
        allowedPrivateHosts: [],
        isLoopbackInstallation: true,
        ownPorts: [],
        ...options.policy,
      },
    })
  const guards = {
    userSupplied: guard('userSupplied'),
    serverSupplied: guard('serverSupplied'),
    operatorSupplied: guard('operatorSupplied'),
  }
  const config = {
    publicUrl: options.publicUrl ?? 'http://localhost:3000',
    maxCallMs: connectorLimits.maxCallMs,
    ceilings: { alwaysAsk: [], blocked: [], maxGrantHours: null, ...options.ceilings },
    connectorRegistryUrl: options.registryUrl ?? null,
    connectorClientMetadataUrl: options.clientMetadataUrl ?? null,
  }
  const appDeps = { config, database, sealer, now, guards }
  const connectors = openConnectors(appDeps, {
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.integrations === undefined ? {} : { integrations: options.integrations }),
    onChanged: (userId) => changes.push(userId),
    onError: (error) => errors.push(error),
  })
  return {
    ...connectors,
    ...connectors.deps,
    database,
    errors,
    changes,
    addUser: (id) => addUser(database.db, { id }),
    async connect(userId, { name = 'Tools', ...input }) {
      const user = { id: userId }
      const created = await createConnector(connectors.deps, user, { name, ...input })
      await connectConnector(connectors.deps, created, createConsentRequest('/settings/connectors'))
      return requireConnector(database.db, user, name)
    },
    async close() {
      await connectors.close()
      await Promise.all(Object.values(guards).map((each) => each.close()))
      if (options.database === undefined) await database.close()
    },
  }
}

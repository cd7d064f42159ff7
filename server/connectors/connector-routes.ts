import { setTimeout } from 'node:timers/promises'
import {
  BrowseList,
  Connector,
  ConnectorAccount,
  ConnectInput,
  ConnectorInput,
  ConnectorList,
  ConnectResult,
  ModelTool,
  PermissionsInput,
  ToolCallList,
  ToolCallQuery,
} from '@yonder/contract/connector'
import { upstreamErrors } from '@yonder/contract/error'
import { z } from 'zod'
import type { Actor } from '../access/access.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import { type Api, route } from '../http/api.ts'
import { oneAtATime } from '../http/one-at-a-time.ts'
import { readInPages, sendJson } from '../http/send-pieces.ts'
import { requireUser } from '../identity/authenticate.ts'
import { normalizeText } from '../lib/text.ts'
import { listConnectorCalls } from './calls/call-record-store.ts'
import { browseServers } from './catalogue/browse-servers.ts'
import type { ConnectorDeps } from './connector-deps.ts'
import { disconnectConnector } from './connector-state.ts'
import { credentialIdOf, deleteConnector, requireConnector } from './connector-store.ts'
import { connectionKey, connectionPrefix } from './mcp/connection-pool.ts'
import { readBrowserKey, formatConsentCookie, createConsentRequest } from './oauth/consent-request.ts'
import { findGrant } from './oauth/grant-store.ts'
import { presentConnector, presentTools } from './present-connector.ts'
import { changeConnector, requireDeletable, createConnector } from './save-connector.ts'
import { readConnectors, requireSyncedConnector, syncConnectors } from './sync-connectors.ts'
import { changePermissions } from './tools/change-permissions.ts'
import { readModelTool } from './tools/list-model-tools.ts'
import { listPermissions, type PermissionVersion } from './tools/permission-store.ts'
import { readToolHeads } from './tools/tool-store.ts'

const NameParams = z.object({ name: z.string().transform(normalizeText) })
const ToolParams = NameParams.extend({ tool: z.string().transform(normalizeText) })

/**
 * Registers the routes of the user's connectors. The MCP client is loaded
 * when first needed.
 */
export function registerConnectorRoutes(api: Api, deps: ConnectorDeps): void {
  const { database } = deps
  const { publicUrl } = deps.settings

  api.get(
    '/api/mcp-servers',
    route('user', 'List the connectors', [], { response: { 200: ConnectorList } }),
    async (request) => {
      const user = requireUser(request)
      const sync = () => syncConnectors(database.db, user, deps.builtIns, deps.now())
      await refreshBuiltIns(deps, await sync())
      return readInPages(presentEach(deps, user, await sync()))
    },
  )

  api.get(
    '/api/browse-connectors',
    {
      ...route('user', 'List servers that can be added as connectors', [], { response: { 200: BrowseList } }),
      // The list can have megabytes.
      ...oneAtATime(() => 'servers'),
    },
    async (_request, reply) => sendJson(reply, `{"servers":${await browseServers(deps)}}`),
  )

  api.get(
    '/api/mcp-server/:name/calls',
    route('owner', 'List the tool calls of a connector', [], {
      params: NameParams,
      querystring: ToolCallQuery,
      response: { 200: ToolCallList },
    }),
    async (request) => {
      const user = requireUser(request)
      const connector = await requireSyncedConnector(deps, user, request.params.name)
      return listConnectorCalls(database.db, user, connector, request.query)
    },
  )

  api.get(
    '/api/mcp-server/:name/account',
    route('owner', 'Read the account that a connector uses', [], {
      params: NameParams,
      response: { 200: ConnectorAccount },
    }),
    async (request) =>
      readAccount(deps, await requireSyncedConnector(deps, requireUser(request), request.params.name)),
  )

  api.get(
    '/api/mcp-server/:name/tools/:tool',
    route('owner', 'Read a tool as models read it', [], { params: ToolParams, response: { 200: ModelTool } }),
    async (request) => {
      const user = requireUser(request)
      const connector = await requireSyncedConnector(deps, user, request.params.name)
      return readModelTool(deps, user, connector, request.params.tool)
    },
  )

  api.post(
    '/api/mcp-server',
    route('user', 'Create a connector', ['conflict', 'name_taken'], {
      body: ConnectorInput,
      response: { 201: Connector },
    }),
    async (request, reply) => {
      const user = requireUser(request)
      const connector = await createConnector(deps, user, request.body)
      deps.onChanged(user.id)
      return reply.status(201).send(await presentOne(deps, connector))
    },
  )

  api.put(
    '/api/mcp-server/:name',
    route('owner', 'Change a connector', ['forbidden', 'conflict', 'name_taken'], {
      params: NameParams,
      body: ConnectorInput,
      response: { 200: Connector },
    }),
    async (request) => {
      const user = requireUser(request)
      const { name } = request.params
      const before = await requireSyncedConnector(deps, user, name)
      const revoke = request.body.url === before.url ? undefined : await prepareRevocation(deps, before)
      const connector = await changeConnector(deps, user, name, request.body)
      revoke?.()
      deps.onChanged(user.id)
      deps.onGrantsChanged(user.id)
      if (connector.credential_version !== before.credential_version) {
        await deps.shared.pool.drop(connectionPrefix(connector))
      }
      return presentOne(deps, connector)
    },
  )

  api.patch(
    '/api/mcp-server/:name',
    route('owner', 'Change the permissions of tools', ['conflict'], {
      params: NameParams,
      body: PermissionsInput,
      response: { 200: Connector },
    }),
    async (request) => {
      const user = requireUser(request)
      const { name } = await requireSyncedConnector(deps, user, request.params.name)
      const connector = await changePermissions(deps, user, name, request.body)
      deps.onChanged(user.id)
      deps.onGrantsChanged(user.id)
      return presentOne(deps, connector)
    },
  )

  api.delete(
    '/api/mcp-server/:name',
    route('owner', 'Delete a connector', ['forbidden'], { params: NameParams, response: { 204: z.null() } }),
    async (request, reply) => {
      const user = requireUser(request)
      const connector = await requireSyncedConnector(deps, user, request.params.name)
      requireDeletable(connector)
      const revoke = await prepareRevocation(deps, connector)
      await deleteConnector(database.db, user, connector.id)
      revoke()
      deps.onChanged(user.id)
      deps.onGrantsChanged(user.id)
      deps.onRenamed(user.id)
      await deps.shared.pool.drop(connectionPrefix(connector))
      return reply.status(204).send(null)
    },
  )

  api.post(
    '/api/mcp-server/:name/connect',
    route('owner', 'Connect a connector', ['conflict', ...upstreamErrors], {
      params: NameParams,
      body: ConnectInput.nullish(),
      response: { 200: ConnectResult },
    }),
    async (request, reply) => {
      const user = requireUser(request)
      const connector = await requireSyncedConnector(deps, user, request.params.name)
      const known = readBrowserKey(publicUrl, request.headers.cookie)
      const returnTo = request.body?.return_to ?? '/settings/connectors'
      const consent = createConsentRequest(returnTo, known, request.body?.confirmed_origins)
      const { connectConnector } = await import('./connect-connector.ts')
      await connectConnector(deps, connector, consent)
      const authorizationUrl = consent.authorizationUrl?.href ?? null
      if (authorizationUrl !== null)
        reply.header('set-cookie', formatConsentCookie(publicUrl, consent.browserKey))
      const current = await requireConnector(database.db, user, connector.name)
      return {
        connector: await presentOne(deps, current),
        authorization_url: authorizationUrl,
        origins_to_confirm: [...consent.originsToConfirm],
      }
    },
  )

  api.post(
    '/api/mcp-server/:name/disconnect',
    route('owner', 'Disconnect a connector', [], { params: NameParams, response: { 200: Connector } }),
    async (request) => {
      const user = requireUser(request)
      const connector = await requireSyncedConnector(deps, user, request.params.name)
      await disconnectConnector(deps, connector)
      return presentOne(deps, await requireConnector(database.db, user, connector.name))
    },
  )
}

/**
 * Refreshes expired lists of built-in connectors. Waits for servers in this process, and at most a few seconds for
 * remote ones.
 */
async function refreshBuiltIns(deps: ConnectorDeps, connectors: readonly ConnectorRow[]): Promise<void> {
  const stale = connectors.filter(
    (row) =>
      row.is_default === 1 && row.status !== 'disconnected' && (row.tools_expire_at ?? 0) <= deps.now(),
  )
  if (stale.length === 0) return
  const { refreshTools } = await import('./tools/refresh-tools.ts')
  const [inProcess, remote] = [true, false].map((isInProcess) =>
    Promise.all(
      stale
        .filter(({ url }) => (deps.builtIns.find(url)?.server.kind !== 'remote') === isInProcess)
        // A failure is stored in the connector's row.
        .map((row) => refreshTools(deps, row).catch(() => undefined)),
    ),
  )
  await inProcess
  // A server that hangs delays one request.
  const keys = stale.map(connectionKey)
  if (keys.some((key) => deps.shared.unanswered.has(key))) return
  for (const key of keys) deps.shared.unanswered.set(key, true)
  await Promise.race([remote, setTimeout(deps.settings.limits.maxToolListWaitMs, undefined, { ref: false })])
}

/**
 * Reads the grant of a connector before it is deleted. Returns a function that revokes it in the background. Loads the
 * OAuth code only for a grant.
 */
async function prepareRevocation(deps: ConnectorDeps, connector: ConnectorRow): Promise<() => void> {
  const grant = await findGrant(deps, connector)
  if (grant === undefined) return () => undefined
  const { revokeGrant } = await import('./oauth/revoke-grant.ts')
  return () => void revokeGrant(deps, connector, grant)
}

const unknownAccount: ConnectorAccount = { account: null, time_zone: null }

/** Returns the account that the calls of a connector use, cached by credential; nulls when it is not known. */
async function readAccount(
  { builtIns, shared: { accounts } }: Pick<ConnectorDeps, 'builtIns' | 'shared'>,
  connector: ConnectorRow,
): Promise<ConnectorAccount> {
  const builtIn = connector.is_default === 1 ? builtIns.find(connector.url) : undefined
  if (builtIn?.readAccount === undefined) return unknownAccount
  const { version } = await builtIns.readIntegration(connector)
  const key = credentialIdOf({ id: connector.id, credential_version: version })
  const known = accounts.get(key)
  if (known !== undefined) return known
  try {
    const account = await builtIn.readAccount(connector.user_id)
    accounts.set(key, account)
    return account
  } catch {
    // The page shows the call without its account; the call itself explains what is wrong.
    return unknownAccount
  }
}

/** Presents a connector to its owner. */
async function presentOne(deps: ConnectorDeps, connector: ConnectorRow): Promise<Connector> {
  return present(deps, connector, await listPermissions(deps.database.db, [connector.id]))
}

/** Presents connectors one by one, each with the permissions of one moment, of which it can have thousands. */
async function* presentEach(
  deps: ConnectorDeps,
  user: Actor,
  connectors: readonly ConnectorRow[],
): AsyncGenerator<readonly Connector[]> {
  for (const { id } of connectors) {
    const found = await readSnapshot(deps.database, async ({ db }) => {
      const connector = (await readConnectors(db, user, deps.builtIns)).find((row) => row.id === id)
      return connector && { connector, permissions: await listPermissions(db, [id]) }
    })
    if (found !== undefined) yield [present(deps, found.connector, found.permissions)]
  }
}

/** The tools of the connector, which can have megabytes, are read while they are sent. */
function present(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  permissions: readonly PermissionVersion[],
): Connector {
  const tools = presentTools(connector, readToolHeads(deps.database.db, connector), permissions, deps)
  return { ...presentConnector(connector, permissions, deps.sealer), tools: readInPages(tools) }
}

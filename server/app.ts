import type { SettingsList } from '@yonder/contract/live'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { exportable } from './access/access.ts'
import { findBotFacts, openBotModel } from './bots/bot-model.ts'
import { registerBotRoutes } from './bots/bot-routes.ts'
import { requireBot } from './bots/bot-store.ts'
import { registerBotCheckRoutes } from './bots/check/bot-check-routes.ts'
import { openChats } from './chats/open-chats.ts'
import { summarizeChats } from './chats/search/summarize-chats.ts'
import { openCompletions } from './completions/open-completions.ts'
import type { Config } from './config/config.ts'
import { registerConnectorRoutes } from './connectors/connector-routes.ts'
import { registerGrantRoutes } from './connectors/grants/grant-routes.ts'
import { registerConnectorOAuthRoutes } from './connectors/oauth/connector-oauth-routes.ts'
import { openConnectors } from './connectors/open-connectors.ts'
import { readConnectors, syncConnectors } from './connectors/sync-connectors.ts'
import type { Database } from './db/database.ts'
import { createDatabaseCheck } from './db/open-database.ts'
import type { Sealer } from './db/secrets/seal-secret.ts'
import { toStorageError } from './db/storage-problem.ts'
import { registerDiagnosisRoutes } from './diagnosis/diagnosis-routes.ts'
import { drain, type DrainOptions } from './drain.ts'
import { registerExportFileRoutes, registerExportRoutes } from './export/export-routes.ts'
import { openExportWork } from './export/export-work.ts'
import { registerFileRoutes } from './files/file-routes.ts'
import { deleteFilesOfUser } from './files/file-store.ts'
import { openFileReader } from './files/reading/open-file-reader.ts'
import { startRemovingUnused } from './files/remove-unused.ts'
import type { FileDeps } from './files/store-file.ts'
import { findTaker } from './find-taker.ts'
import type { Api } from './http/api.ts'
import { createServer, type ServerTls } from './http/create-server.ts'
import { registerHealthRoutes } from './http/health-routes.ts'
import type { Guards } from './http/outgoing/guarded-fetch.ts'
import { limitRequests } from './http/rate-limits.ts'
import { receiveBytes } from './http/received-bytes.ts'
import { restarting, type Shutdown } from './http/shutdown.ts'
import { registerWebRoutes } from './http/web-routes.ts'
import { authenticateRequests, requireUser } from './identity/authenticate.ts'
import {
  registerSettingsRoutes,
  registerSignInFailureRoutes,
  registerUserRoutes,
} from './identity/identity-routes.ts'
import type { Identity } from './identity/identity.ts'
import { endStreamsOnSignOut } from './identity/sessions/end-streams-on-sign-out.ts'
import { listDisabledUserIds } from './identity/users/managed-user-store.ts'
import { registerOwnAccountRoutes } from './identity/users/own-account-routes.ts'
import { startUserMaintenance } from './identity/users/user-maintenance.ts'
import { readExport } from './imports/formats/read-export.ts'
import { registerImportRoutes } from './imports/import-routes.ts'
import { openImportWorks } from './imports/import-works.ts'
import { registerInboxRoutes } from './inbox/inbox-routes.ts'
import { registerIntegrationRoutes } from './integrations/integration-routes.ts'
import { openIntegrations } from './integrations/open-integrations.ts'
import { openLive, type Live } from './live/open-live.ts'
import { ListedModels } from './models/catalogue/listed-models.ts'
import { DialectMemory } from './models/upstream/dialect-memory.ts'
import { openNotifications } from './notifications/open-notifications.ts'
import type { PushKeys } from './notifications/push-keys.ts'
import packageJson from './package.json' with { type: 'json' }
import { registerProjectRoutes } from './projects/project-routes.ts'
import { registerShareRoutes } from './shares/share-routes.ts'
import { registerSharedChatRoutes } from './shares/shared-chat-routes.ts'
import { openTransferRunner } from './transfers/run-transfers.ts'
import { registerTransferRoutes } from './transfers/transfer-routes.ts'
import { deleteTransfersOfUser } from './transfers/transfer-store.ts'
import { registerUsageRoutes } from './usage/usage-routes.ts'

/** What `start-server.ts` opens before it creates the app. Tests open their own. */
export interface AppDeps {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly identity: Identity
  readonly guards: Guards
  /** The keys with which push services know this installation. */
  readonly pushKeys: PushKeys
  /** Identifies this process among those that share the database. */
  readonly nodeId: string
  readonly metrics: Registry
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The folder of the built web app. */
  readonly webRoot: string
  /** How the server speaks https itself; null when it does not. */
  readonly tls: ServerTls | null
}

export interface App extends FastifyInstance {
  /** Lets what runs end. Call it before `close`. */
  drain(options: DrainOptions): Promise<void>
}

/** Composes the whole product: the server, every domain, their routes. Does not listen yet. */
export async function createApp(deps: AppDeps): Promise<App> {
  const { config, identity } = deps
  const { app, shutdown } = await createServer(
    {
      connectOrigins: identity.browserOrigins,
      toStorageError,
      tls: deps.tls,
    },
    config,
  )
  const domains = openDomains(app, deps)
  app.addHook('preClose', () => closeDomains(domains))
  await registerPublicRoutes(app, deps, domains, shutdown)
  await app.register(async (api: Api) => registerSignedInRoutes(api, deps, domains))
  await registerWebRoutes(app, deps.webRoot)
  return Object.assign(app, {
    drain: (options: DrainOptions) => drain({ app, shutdown, ...domains }, options),
  })
}

/** Opens the domains that have state or background work. `closeDomains` closes them. */
function openDomains(app: FastifyInstance, deps: AppDeps) {
  const logAs = (message: string) => (error: unknown) => app.log.error({ err: error }, message)
  const { db } = deps.database
  const streams = endStreamsOnSignOut(
    { sessions: deps.identity.sessions, listDisabledUsers: () => listDisabledUserIds(db) },
    logAs('a stream could not be ended'),
  )
  const onOpen = streams.track
  const live = openLive(
    { ...deps, readListedChats: (id, chatIds) => summarizeChats(db, { id }, chatIds, exportable) },
    { onOpen, onError: logAs('a live update failed') },
  )
  const onChatChanged = live.hub.notifyChatChanged
  const integrations = openIntegrations(deps, {
    // An integration adds a connector of its own, so both lists change.
    onChanged: createNotifier(live, 'integrations', 'connectors'),
    onError: logAs('background work of an integration failed'),
  })
  const connectors = openConnectors(deps, {
    integrations,
    onChanged: createNotifier(live, 'connectors'),
    onGrantsChanged: createNotifier(live, 'grants'),
    onRenamed: createNotifier(live, 'bots', 'names'),
    onError: logAs('background work of a connector failed'),
  })
  const files: FileDeps = {
    database: deps.database,
    reader: openFileReader(),
    limits: deps.config.files,
    now: deps.now,
  }
  const endRemoval = startRemovingUnused({
    database: deps.database,
    now: deps.now,
    onError: logAs('unused files could not be deleted'),
  })
  const notifications = openNotifications(deps, {
    onChanged: createNotifier(live, 'notifications'),
    onError: logAs('a notification could not be stored or sent'),
  })
  const dialects = new DialectMemory(deps.now)
  const listedModels = new ListedModels(deps.now)
  const completions = openCompletions(deps, {
    connectors,
    files,
    subscribers: live.hub,
    perMinute: deps.config.rateLimits.completions,
    compactAt: deps.config.compactAt,
    openBotModel: (bot) => openBotModel({ ...deps, dialects, listedModels }, bot),
    findModelFacts: (bot, model) => findBotFacts({ ...deps, listedModels }, bot, model),
    findTaker: (bot) => findTaker({ ...deps, listedModels }, bot),
    onOpen,
    onChatChanged,
    onTitled: (userId, chatId) => live.hub.notifyChatsChanged(userId, [chatId]),
    onUntitled: (reason) => app.log.debug({ reason }, 'a chat keeps its default title'),
    onEnded: notifications.onEnded,
    onQuestion: notifications.onQuestion,
    onError: logAs('background work of a run failed'),
  })
  const chats = openChats(deps, {
    runReader: completions.runReader,
    onChatChanged,
    onChatsChanged: live.hub.notifyChatsChanged,
    onDeleted: completions.stopDeleted,
    onError: logAs('background work of the chats failed'),
  })
  const transfers = openTransferRunner({
    database: deps.database,
    works: {
      export: {
        running: openExportWork({ ...deps, publicUrl: deps.config.publicUrl, version: packageJson.version }),
      },
      import: openImportWorks({
        files,
        secrets: deps,
        readExport,
        onListed: live.hub.notifyChatsChanged,
        onChatChanged,
        onProjects: createNotifier(live, 'projects'),
        onBots: createNotifier(live, 'bots'),
        onError: logAs('a chat could not be imported'),
      }),
    },
    now: deps.now,
    onError: logAs('an export or an import failed'),
  })
  // An MCP connection must not stay open for a user who has signed out everywhere.
  deps.identity.sessions?.onEnd(({ userId, isLast }) => {
    if (userId !== null && isLast) connectors.closeIdle(userId).catch(connectors.deps.onError)
  })
  const endUserMaintenance = startUserMaintenance({
    database: deps.database,
    embedded: deps.config.oidc === null,
    async revokeTokens(userId) {
      await Promise.all([connectors.revokeTokens(userId), integrations.revokeTokens(userId)])
    },
    async deleteData(userId) {
      await deleteTransfersOfUser(db, userId)
      await chats.deleteAll(userId)
      while (await db.transaction().execute((trx) => deleteFilesOfUser(trx, deps.database.dialect, userId)));
    },
    onError: logAs('the data of a disabled or deleted user could not be cleaned up'),
  })
  return {
    streams,
    live,
    integrations,
    connectors,
    completions,
    notifications,
    chats,
    files,
    transfers,
    listedModels,
    endUserMaintenance,
    endRemoval,
  }
}

type Domains = ReturnType<typeof openDomains>

/** Returns a function that notifies a user's open pages that these lists have changed. */
function createNotifier({ hub }: Live, ...lists: readonly SettingsList[]): (userId: string) => void {
  return (userId) => lists.forEach((list) => hub.notifySettingsChanged(userId, list))
}

/** Must run before the database closes. */
async function closeDomains(domains: Domains): Promise<void> {
  const { streams, live, integrations, connectors, completions, chats } = domains
  await Promise.all([
    streams.close(),
    domains.endUserMaintenance(),
    domains.endRemoval(),
    domains.transfers.close(),
  ])
  // Runs end their own tool calls, so they close before the connectors.
  await completions.close()
  await domains.notifications.close()
  await Promise.all([chats.close(), connectors.close(), domains.files.reader.close()])
  await integrations.close()
  await live.close()
}

async function registerPublicRoutes(
  app: FastifyInstance,
  deps: AppDeps,
  domains: Domains,
  shutdown: Shutdown,
): Promise<void> {
  const { config, database, identity, metrics } = deps
  const { writes, shareReads } = config.rateLimits
  const scope = (register: (api: Api) => void) => app.register(async (api: Api) => register(api))
  const checkReady = createDatabaseCheck(database)
  authenticateRequests(app, identity)
  registerHealthRoutes(
    app,
    {
      metrics,
      countActiveRuns: domains.completions.countActive,
      countLiveStreams: () => domains.live.hub.size,
      checkReady: () => {
        if (shutdown.hasBegun) return Promise.reject(restarting())
        return checkReady()
      },
    },
    config,
  )
  await identity.register(app)
  registerSettingsRoutes(app, deps)
  await scope(registerSignInFailureRoutes)
  await scope((api) => registerConnectorOAuthRoutes(api, domains.connectors.deps, { perMinute: writes }))
  await scope((api) => registerSharedChatRoutes(api, database, { perMinute: shareReads }))
  await scope((api) => registerExportFileRoutes(api, deps, { perMinute: shareReads }))
  await scope((api) => registerDiagnosisRoutes(api, deps, { perMinute: shareReads }))
}

function registerSignedInRoutes(api: Api, deps: AppDeps, domains: Domains): void {
  const { live, integrations, connectors, completions, chats, files, transfers, listedModels } = domains
  const perMinute = deps.config.rateLimits.writes
  limitRequests(api, deps.config.rateLimits, (request) => requireUser(request).id)
  receiveBytes(api)
  registerUserRoutes(api, deps.identity)
  registerOwnAccountRoutes(api, deps)
  const botDeps = { ...deps, listedModels }
  registerBotRoutes(api, botDeps, {
    onChanged: createNotifier(live, 'bots'),
    onRenamed: createNotifier(live, 'names', 'projects'),
    listConnectors: (user) => syncConnectors(deps.database.db, user, connectors.deps.builtIns, deps.now()),
    readConnectors: (db, user) => readConnectors(db, user, connectors.deps.builtIns),
  })
  registerBotCheckRoutes(api, botDeps, { perMinute: deps.config.rateLimits.completions })
  registerConnectorRoutes(api, connectors.deps)
  registerGrantRoutes(api, connectors.deps)
  registerIntegrationRoutes(api, integrations.deps, { perMinute })
  registerShareRoutes(api, deps)
  registerUsageRoutes(api, deps.database.db)
  registerProjectRoutes(api, deps, {
    selfService: deps.config.selfService,
    onChanged: createNotifier(live, 'projects'),
    onChatsChanged: live.hub.notifyChatsChanged,
    onChatsDeleted: completions.stopDeleted,
  })
  registerImportRoutes(api, { ...deps, maxBytes: deps.config.maxImport, transfers })
  registerTransferRoutes(api, deps)
  registerExportRoutes(api, deps, domains.transfers)
  registerFileRoutes(api, {
    ...files,
    async findTaker(user, botName) {
      const bot = await requireBot(deps.database.db, user, botName)
      // As for the prompt: a refusal may have shown that the window is smaller.
      return { ...(await findTaker(botDeps, bot)), contextWindow: await completions.findContextWindow(bot) }
    },
  })
  registerInboxRoutes(api, { ...deps, listQuestions: completions.listQuestions })
  chats.register(api)
  completions.register(api)
  domains.notifications.register(api, { perMinute })
  live.register(api, completions.feed)
}

import type { SettingsList } from '@yonder/contract/live'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { registerBotRoutes } from './bots/bot-routes.ts'
import { openBotModel } from './bots/bot-model.ts'
import { openChats } from './chats/open-chats.ts'
import { openCompletions } from './completions/open-completions.ts'
import type { Config } from './config/config.ts'
import { registerConnectorRoutes } from './connectors/connector-routes.ts'
import { registerConnectorOAuthRoutes } from './connectors/oauth/connector-oauth-routes.ts'
import { openConnectors } from './connectors/open-connectors.ts'
import type { Database } from './db/database.ts'
import { checkDatabase } from './db/open-database.ts'
import type { Sealer } from './db/secrets/seal-secret.ts'
import type { Api } from './http/api.ts'
import { createServer } from './http/create-server.ts'
import { registerHealthRoutes } from './http/health-routes.ts'
import type { Guards } from './http/outgoing/guarded-fetch.ts'
import { limitWrites } from './http/rate-limits.ts'
import { registerWebRoutes } from './http/web-routes.ts'
import { decorateRequests, requireBearerToken, requireUser } from './identity/authenticate.ts'
import type { Identity } from './identity/identity.ts'
import { endStreamsOnSignOut } from './identity/sessions/end-streams-on-sign-out.ts'
import { registerSettingsRoutes } from './identity/settings-routes.ts'
import { registerUserRoutes } from './identity/users/user-routes.ts'
import { registerIntegrationRoutes } from './integrations/integration-routes.ts'
import { openIntegrations } from './integrations/open-integrations.ts'
import { openLive } from './live/open-live.ts'
import { registerShareRoutes } from './shares/share-routes.ts'
import { registerSharedChatRoutes } from './shares/shared-chat-routes.ts'

/** What `main.ts` opens for the app. Tests open the same things in their own way. */
export interface AppDeps {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly identity: Identity
  readonly guards: Guards
  /** The address of the built-in demo model. */
  readonly demoBaseUrl: string
  /** Identifies this process among those that share the database. */
  readonly nodeId: string
  readonly metrics: Registry
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The folder of the built web app. */
  readonly webRoot: string
}

/** Composes the whole product: the server, every domain, their routes. Does not listen yet. */
export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config, database, identity } = deps
  const app = await createServer({
    publicUrl: config.publicUrl,
    logLevel: config.logLevel,
    trustedProxies: config.trustedProxies,
    connectOrigins: identity.browserOrigins,
    isStorageFull: database.dialect.isStorageFull,
  })
  await registerRoutes(app, deps, openDomains(app, deps))
  return app
}

/** Opens the services of the app. They close when the app closes, before the database does. */
function openDomains(app: FastifyInstance, deps: AppDeps) {
  const { config, database, sealer, identity, guards, nodeId, now } = deps
  const logAs = (message: string) => (error: unknown) => app.log.error({ err: error }, message)
  const streams = endStreamsOnSignOut(identity.sessions, logAs('a stream could not be ended'))
  const onOpen = streams.track
  const live = openLive({ database, nodeId, onOpen, onError: logAs('a live update failed') })
  const { hub } = live
  const changed =
    (...lists: SettingsList[]) =>
    (userId: string): void =>
      lists.forEach((list) => hub.settingsChanged(userId, list))
  const integrations = openIntegrations({
    config,
    database,
    sealer,
    now,
    guards,
    // An integration adds a connector of its own, so both lists change.
    onChanged: changed('integrations', 'connectors'),
    onError: logAs('background work of an integration failed'),
  })
  const connectors = openConnectors({
    config,
    database,
    sealer,
    now,
    guards,
    integrations,
    onChanged: changed('connectors'),
    onError: logAs('background work of a connector failed'),
  })
  const providers = { defaultModel: config.defaultModel, demoBaseUrl: deps.demoBaseUrl, sealer }
  const completions = openCompletions({
    database,
    nodeId,
    now,
    connectors,
    subscribers: hub,
    onOpen,
    onChatChanged: hub.chatChanged,
    openBotModel: (_user, bot) => openBotModel(bot, providers, { guards }),
    onError: logAs('background work of a run failed'),
    perMinute: config.rateLimits.completions,
  })
  const { readRun } = completions
  const onChatError = logAs('background work of the chats failed')
  const chats = openChats({ database, now, readRun, onChatChanged: hub.chatChanged, onError: onChatError })
  identity.sessions?.onEnd(({ userId }) => {
    if (userId !== null) connectors.closeIdle(userId).catch(connectors.deps.onError)
  })
  app.addHook('preClose', async () => {
    await streams.close()
    // Runs end their own tool calls, so they close before the connectors.
    await completions.close()
    await Promise.all([chats.close(), connectors.close()])
    await integrations.close()
    live.close()
  })
  return { chats, completions, connectors, integrations, live, changed }
}

async function registerRoutes(
  app: FastifyInstance,
  deps: AppDeps,
  { chats, completions, connectors, integrations, live, changed }: ReturnType<typeof openDomains>,
): Promise<void> {
  const { config, database, sealer, identity, now } = deps
  const { rateLimits } = config
  const scope = (register: (api: Api) => void) => app.register(async (api: Api) => register(api))
  decorateRequests(app)
  registerHealthRoutes(app, {
    metrics: deps.metrics,
    metricsToken: config.metricsToken,
    countActiveRuns: completions.countActive,
    checkReady: () => checkDatabase(database.db),
  })
  await identity.register(app)
  registerSettingsRoutes(app, { identity, config })
  await scope((api) => registerConnectorOAuthRoutes(api, connectors.deps, rateLimits.writes))
  await scope((api) => registerSharedChatRoutes(api, { database, perMinute: rateLimits.shareReads }))
  await scope((api) => {
    requireBearerToken(api, identity)
    limitWrites(api, rateLimits.writes, (request) => requireUser(request).id)
    registerUserRoutes(api)
    registerBotRoutes(api, { database, sealer, now, onChanged: changed('bots') })
    registerConnectorRoutes(api, connectors.deps)
    registerIntegrationRoutes(api, integrations, rateLimits.writes)
    registerShareRoutes(api, { database, now })
    chats.register(api)
    completions.register(api)
    const { joinRuns, leaveRuns } = completions
    live.register(api, { joinRuns, leaveRuns, verify: (token) => identity.verify(token) })
  })
  await registerWebRoutes(app, deps.webRoot)
}

import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { registerBotRoutes } from './bots/bot-routes.ts'
import { openChats } from './chats/open-chats.ts'
import type { Chats } from './chats/open-chats.ts'
import { openCompletions } from './completions/open-completions.ts'
import type { Completions } from './completions/open-completions.ts'
import { registerConnectorOAuthRoutes } from './connectors/oauth/connector-oauth-routes.ts'
import { registerConnectorRoutes } from './connectors/connector-routes.ts'
import { openConnectors } from './connectors/open-connectors.ts'
import type { Connectors } from './connectors/open-connectors.ts'
import { checkDatabase } from './db/check-database.ts'
import type { Deps } from './deps.ts'
import type { Api } from './http/api.ts'
import { createBearerGuard } from './http/bearer-guard.ts'
import { registerClosing } from './http/closing.ts'
import { describeError } from './lib/describe-error.ts'
import { createErrorHandler } from './http/error-handler.ts'
import { registerHealthRoutes } from './http/health-routes.ts'
import { registerHostCheck } from './http/host-check.ts'
import { registerJsonBody } from './http/json-body.ts'
import { registerOpenApi } from './http/open-api-routes.ts'
import { limitWrites, registerRateLimits } from './http/rate-limits.ts'
import { refuseBrokenRequest } from './http/refuse-broken-request.ts'
import { logLeft, onLeft, RequestLog } from './http/request-log.ts'
import { registerSecurityHeaders } from './http/security-headers.ts'
import { registerWebRoutes } from './http/web-routes.ts'
import { requireUser } from './identity/require-user.ts'
import { registerSettingsRoutes } from './identity/settings-routes.ts'
import { endStreamsOnSignOut } from './identity/sessions/end-streams-on-sign-out.ts'
import { registerUserRoutes } from './identity/users/user-routes.ts'
import { registerIntegrationRoutes } from './integrations/integration-routes.ts'
import { openIntegrations } from './integrations/open-integrations.ts'
import type { Integrations } from './integrations/open-integrations.ts'
import { openLive } from './live/open-live.ts'
import type { Live } from './live/open-live.ts'
import { openBotModel } from './open-bot-model.ts'
import { registerShareRoutes } from './shares/share-routes.ts'
import { registerSharedChatRoutes } from './shares/shared-chat-routes.ts'

/** The whole product: the edge, then one line per domain. Nothing listens yet. */
export async function createApp(deps: Deps): Promise<FastifyInstance> {
  const { config, database, identity } = deps
  const handleError = createErrorHandler(database.dialect.isStorageFull)
  const app = Fastify({
    bodyLimit: 1_048_576,
    // Milliseconds for a request to arrive in whole; without it a body may drip in for ever.
    requestTimeout: 60_000,
    logger: {
      level: config.logLevel,
      redact: ['req.headers', 'res.headers'],
      serializers: { err: (error) => describeError(error) },
    },
    logController: new RequestLog(),
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    // In our own words (`registerClosing`).
    return503OnClosing: false,
    // A HEAD would do what its GET does: reserve a chat, hold a stream.
    exposeHeadRoutes: false,
    trustProxy: config.trustedProxies.length === 0 ? false : [...config.trustedProxies],
    routerOptions: { maxParamLength: 1_000 },
    // What is refused before any route is found.
    frameworkErrors: handleError,
    clientErrorHandler: refuseBrokenRequest,
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(handleError)
  app.decorateRequest('user', null)
  app.decorateRequest('sessionId', null)
  registerClosing(app)
  onLeft(app, logLeft)
  const domains = openDomains(app, deps)
  registerHostCheck(app, config.publicUrl)
  registerJsonBody(app)
  registerSecurityHeaders(app, {
    connectOrigins: identity.browserOrigins,
    https: config.publicUrl.startsWith('https:'),
  })
  await registerRateLimits(app)
  await registerOpenApi(app, config.publicUrl)
  registerHealthRoutes(app, {
    metrics: deps.metrics,
    metricsToken: config.metricsToken,
    countActiveRuns: domains.completions.countActive,
    checkReady: () => checkDatabase(database.db),
  })
  await identity.register(app)
  registerSettingsRoutes(app, deps)
  await app.register(async (api: Api) =>
    registerConnectorOAuthRoutes(api, domains.connectors, config.rateLimits.writes),
  )
  await app.register(async (api: Api) =>
    registerSharedChatRoutes(api, { database, perMinute: config.rateLimits.shareReads }),
  )
  await app.register(async (api: Api) => registerApi(api, deps, domains))
  await registerWebRoutes(app, deps.webRoot)
  return app
}

interface Domains {
  readonly chats: Chats
  readonly completions: Completions
  readonly connectors: Connectors
  readonly integrations: Integrations
  readonly live: Live
}

/** What lives as long as the app, and ends before the database does. */
function openDomains(app: FastifyInstance, deps: Deps): Domains {
  const { config } = deps
  const { sessions } = deps.identity
  const streams = endStreamsOnSignOut(sessions, (error) =>
    app.log.error({ err: error }, 'a stream could not be ended'),
  )
  const live = openLive({
    ...deps,
    onOpen: streams.track,
    onError: (error) => app.log.error({ err: error }, 'live updates could not be given'),
  })
  const integrations = openIntegrations({
    ...deps,
    onChanged(userId) {
      live.hub.settingsChanged(userId, 'integrations')
      // Those that it brings along come and go with it.
      live.hub.settingsChanged(userId, 'connectors')
    },
    onError: (error) => app.log.error({ err: error }, 'an integration could not be tended'),
  })
  const connectors = openConnectors({
    ...deps,
    integrations,
    onChanged: (userId) => live.hub.settingsChanged(userId, 'connectors'),
    onError: (error) => app.log.error({ err: error }, 'a connector could not be tended'),
  })
  const completions = openCompletions({
    ...deps,
    audience: live.hub,
    onOpen: streams.track,
    connectors,
    onChatChanged: live.hub.chatChanged,
    openBotModel: (_user, bot) =>
      openBotModel(
        bot,
        { defaultModel: config.defaultModel, demoBaseUrl: deps.demoBaseUrl, sealer: deps.sealer },
        deps,
      ),
    onError: (error) => app.log.error({ err: error }, 'a run could not be tended'),
    perMinute: config.rateLimits.completions,
  })
  const chats = openChats({
    ...deps,
    readRun: completions.readRun,
    onChatChanged: live.hub.chatChanged,
    onError: (error) => app.log.error({ err: error }, 'a chat could not be tended'),
  })
  sessions?.onEnd(({ userId }) => {
    if (userId !== null) connectors.closeIdle(userId).catch(connectors.onError)
  })
  app.addHook('preClose', async () => {
    await streams.close()
    // Calls belong to runs, which say how they ended.
    await completions.close()
    await Promise.all([chats.close(), connectors.close()])
    await integrations.close()
    live.close()
  })
  return { chats, completions, connectors, integrations, live }
}

/** Everything that needs a signed-in person. */
async function registerApi(api: Api, deps: Deps, domains: Domains): Promise<void> {
  const { config, identity } = deps
  const { chats, completions, connectors, live } = domains
  const admit = async (request: Parameters<typeof requireUser>[0], token: string): Promise<void> => {
    request.user = await identity.verify(token)
    request.sessionId = identity.sessions?.idOf(token) ?? null
  }
  api.addHook('onRequest', createBearerGuard({ admit }))
  limitWrites(api, config.rateLimits.writes, (request) => requireUser(request).id)
  registerUserRoutes(api)
  registerBotRoutes(api, {
    ...deps,
    onChanged: (userId) => live.hub.settingsChanged(userId, 'bots'),
  })
  registerConnectorRoutes(api, connectors)
  registerIntegrationRoutes(api, domains.integrations, config.rateLimits.writes)
  registerShareRoutes(api, deps)
  chats.register(api)
  completions.register(api)
  live.register(api, { ...completions, verify: (token) => identity.verify(token) })
}

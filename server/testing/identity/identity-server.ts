import Fastify, { type FastifyInstance } from 'fastify'
import { parseConfig, type Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import { createSealer, type Sealer } from '../../db/secrets/seal-secret.ts'
import type { Api } from '../../http/api.ts'
import { registerClientAddresses } from '../../http/client-address.ts'
import { createErrorHandler } from '../../http/error-handler.ts'
import { openGuards } from '../../http/outgoing/guarded-fetch.ts'
import { registerRateLimits } from '../../http/rate-limits.ts'
import { registerSecurityHeaders } from '../../http/security-headers.ts'
import { serializerCompiler } from '../../http/send-pieces.ts'
import { validatorCompiler } from '../../http/validate-input.ts'
import { createPasswordHasher } from '../../identity/accounts/hash-password.ts'
import { authenticateRequests } from '../../identity/authenticate.ts'
import {
  registerSettingsRoutes,
  registerSignInFailureRoutes,
  registerUserRoutes,
} from '../../identity/identity-routes.ts'
import type { Identity, OnNewUser } from '../../identity/identity.ts'
import { openIdentity } from '../../identity/open-identity.ts'
import { registerOwnAccountRoutes } from '../../identity/users/own-account-routes.ts'
import { freePort } from '../free-port.ts'

export const testSecret = 'a secret of thirty-two characters or more'

/** Low, because a hash takes half a second with the product's cost, and tests sign in hundreds of times. */
const testScryptCost = 2 ** 4

export interface IdentityServerOptions {
  readonly database: Database
  /** The port, to restart a server; any free one by default. */
  readonly port?: number
  readonly environment?: Readonly<Record<string, string>>
  /** Milliseconds to add to the clock for tokens and records. */
  readonly clock?: { offset: number }
  readonly onNewUser?: OnNewUser
  /** By default one with `testSecret`. A database filled with another sealer needs that one. */
  readonly sealer?: Sealer
  /** Adds routes before the server listens. */
  readonly extend?: (app: FastifyInstance) => void
}

export interface IdentityServer {
  readonly config: Config
  readonly identity: Identity
  readonly baseUrl: string
  readonly port: number
  /** Requests `GET /api/auth/userinfo` with this token. */
  readUser(token: string): Promise<Response>
  close(): Promise<void>
}

/** Serves the real sign-in on a port, with `/api/settings` and the routes of the signed-in user. */
export async function openIdentityServer(options: IdentityServerOptions): Promise<IdentityServer> {
  const { database, environment = {}, clock = { offset: 0 }, onNewUser = async () => undefined } = options
  const port = options.port ?? (await freePort())
  const baseUrl = `http://localhost:${port}`
  const config = parseConfig({
    PORT: String(port),
    RATE_LIMIT_SIGN_IN: '1000',
    RATE_LIMIT_OIDC: '10000',
    ...environment,
  })
  const sealer = options.sealer ?? createSealer(testSecret)
  const now = () => Date.now() + clock.offset
  const guards = openGuards(config.outgoing)
  const identity = await openIdentity(
    { config, database, sealer, now, passwords: createPasswordHasher(testScryptCost) },
    { guard: guards.operatorSupplied, onNewUser },
  )
  const app = Fastify({ logger: false, forceCloseConnections: true, maxRequestsPerSocket: 0 })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(createErrorHandler(() => null))
  authenticateRequests(app, identity)
  registerSecurityHeaders(app, { connectOrigins: identity.browserOrigins, usesHsts: false })
  registerClientAddresses(app, [])
  await registerRateLimits(app)
  await identity.register(app)
  await app.register(async (api: Api) => registerSettingsRoutes(api, { identity, config }))
  await app.register(async (api: Api) => registerUserRoutes(api, identity))
  await app.register(async (api: Api) => registerOwnAccountRoutes(api, { config, database, identity, now }))
  await app.register(async (api: Api) => registerSignInFailureRoutes(api))
  options.extend?.(app)
  await app.listen({ port, host: 'localhost' })
  return {
    config,
    identity,
    baseUrl,
    port,
    readUser: (token) =>
      fetch(`${baseUrl}/api/auth/userinfo`, { headers: { authorization: `Bearer ${token}` } }),
    async close() {
      await app.close()
      await Promise.all([identity.close(), guards.close()])
    },
  }
}

import type { ErrorBody } from '@yonder/contract/error'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { createApp, type App, type AppDeps } from '../app.ts'
import { parseConfig } from '../config/config.ts'
import { createSealer } from '../db/secrets/seal-secret.ts'
import { errorsOf } from '../http/open-api.ts'
import { openGuards } from '../http/outgoing/guarded-fetch.ts'
import type { User } from '../identity/user.ts'
import { newId } from '../lib/new-id.ts'
import { ensurePushKeys } from '../notifications/push-keys.ts'
import { openTestDatabase, type Engine, type TestDatabase } from './database/test-database.ts'
import { createTestIdentity } from './identity/test-identity.ts'
import { createRequestClient, injected, type RequestClient } from './send-request.ts'

export interface TestClient extends RequestClient {
  readonly user: User
}

export interface TestApp {
  readonly app: App
  readonly deps: AppDeps
  readonly database: TestDatabase
  signIn(name?: string): Promise<TestClient>
  /** Listens on a port of the system's choice; the address without a final slash. */
  listen(): Promise<string>
  close(): Promise<void>
}

export interface TestAppOptions {
  readonly engine?: Engine
  /** A database to share with another node; it is then not closed here. */
  readonly database?: TestDatabase
  /** Settings, with their names in the environment. */
  readonly environment?: Readonly<Record<string, string>>
  readonly deps?: Partial<AppDeps>
  /** Called with the app before its routes are registered, to add hooks to them. */
  readonly addHooks?: (app: FastifyInstance) => void
}

const host = 'localhost:3000'

/** Opens the real app with a database of its own and a replacement of sign-in. */
export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await openTestDatabase(options.engine ?? 'sqlite'))
  const config = parseConfig({
    LOG_LEVEL: 'silent',
    RATE_LIMIT_WRITES: '100000',
    RATE_LIMIT_READS: '100000',
    RATE_LIMIT_COMPLETIONS: '100000',
    DATA_DIR: database.location.dataDir,
    ...options.environment,
  })
  const undeclared = new Set<string>()
  const identity = {
    ...createTestIdentity(database, async () => undefined),
    async register(app: FastifyInstance) {
      collectUndeclared(app, undeclared)
      options.addHooks?.(app)
    },
  }
  const guards = openGuards(config.outgoing)
  const sealer = options.deps?.sealer ?? createSealer('a secret of tests that is long enough')
  const deps: AppDeps = {
    config,
    database,
    sealer,
    identity,
    guards,
    pushKeys: await ensurePushKeys({ db: database.db, sealer, now: Date.now }),
    nodeId: newId(),
    metrics: new Registry(),
    now: Date.now,
    webRoot: '/nonexistent',
    tls: null,
    ...options.deps,
  }
  const app = await createApp(deps)
  return {
    app,
    deps,
    database,
    async signIn(name = 'Ada') {
      const { user, token } = await identity.signIn(name)
      return { user, ...createRequestClient(injected(app), { authorization: `Bearer ${token}`, host }) }
    },
    async listen() {
      const address = await app.listen({ port: 0, host: '127.0.0.1' })
      return address
    },
    async close() {
      await app.close()
      await guards.close()
      if (options.database === undefined) await database.close()
      if (undeclared.size > 0) throw new Error(`not declared by its route: ${[...undeclared].join(', ')}`)
    },
  }
}

/** Collects the responses whose status or error code their route does not declare. */
function collectUndeclared(app: FastifyInstance, undeclared: Set<string>): void {
  app.addHook('onSend', async ({ method, routeOptions: { url, schema } }, { statusCode }, payload) => {
    if (schema === undefined || schema.hide) return
    const { error } = statusCode < 400 ? {} : (JSON.parse(String(payload)) as Partial<ErrorBody>)
    const isDeclared =
      error === undefined
        ? Object.hasOwn(schema.response ?? {}, statusCode)
        : errorsOf(method, schema).includes(error.code)
    if (!isDeclared) undeclared.add(`${method} ${url} ${statusCode} ${error?.code ?? ''}`)
  })
}

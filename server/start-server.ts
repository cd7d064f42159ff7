import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { createApp } from './app.ts'
import { findHostOllama } from './bots/check/find-ollama.ts'
import { insertDefaultBots } from './bots/default-bots.ts'
import { findFileProblem } from './cli/file-problem.ts'
import { builtInDemoShareId, ConfigError, readSettings, type Config } from './config/config.ts'
import { findDataWarnings, needsDataFolder, readContainerFacts } from './config/container-warnings.ts'
import { readMachine } from './config/machine.ts'
import { hasServiceManager } from './config/service-manager.ts'
import { withHost } from './config/setting-values.ts'
import { addDefaultConnectors } from './connectors/sync-connectors.ts'
import { describeConnectionRisk } from './db/connection-security.ts'
import { requireDataFolder } from './db/data-folder.ts'
import type { Database } from './db/database.ts'
import { lockDataFolder } from './db/lock-data-folder.ts'
import { openDatabase } from './db/open-database.ts'
import { openNode, type Node } from './db/open-node.ts'
import { openSealer } from './db/secrets/open-sealer.ts'
import { describeWeakKey } from './db/secrets/require-secret-key.ts'
import { adviseOperator } from './db/storage-problem.ts'
import { openGuards } from './http/outgoing/guarded-fetch.ts'
import { createTlsServers } from './http/tls-server.ts'
import { createPasswordHasher } from './identity/accounts/hash-password.ts'
import { openIdentity } from './identity/open-identity.ts'
import { waitAtMost } from './lib/abort.ts'
import { AppError } from './lib/app-error.ts'
import { newId } from './lib/new-id.ts'
import { limitYoungGeneration } from './limit-young-generation.ts'
import { listen } from './listen.ts'
import { ensurePushKeys } from './notifications/push-keys.ts'
import { notifyReady } from './notify-ready.ts'
import { ErrorReports, handleProcessErrors } from './process-errors.ts'
import { seedDemoShare } from './shares/seed-demo-share.ts'
import { openTls } from './tls/open-tls.ts'
import { watchClock } from './watch-clock.ts'
import { watchResources } from './watch-resources.ts'

/** Found from `server/start-server.ts` and from the bundle in `server/dist`. */
const webRoot = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../web/dist' : '../../web/dist', import.meta.url),
)

/** Milliseconds that running replies have to end, also with `DRAIN_SECONDS=0`. */
const minDrainMs = 1_000
/**
 * Milliseconds for which a node beside others serves requests after it is no longer ready, because load balancers ask
 * every second or two: at most, and as a share of `DRAIN_SECONDS`.
 */
const maxNoticeMs = 5_000
const noticeShare = 1 / 12

/** Between two measurements of the event loop's delay. Each wakes an idle process; the default is 10 ms. */
const eventLoopSampleMs = 100

/**
 * Opens everything in order, listens, and on SIGTERM or SIGINT closes everything in reverse order. Ends the process
 * with code 1 and a message when it cannot start. `given` are settings that have precedence over the environment.
 */
export async function startServer(given: Readonly<Record<string, string | undefined>> = {}): Promise<void> {
  try {
    // A closed terminal ends the server like Ctrl+C. Before there is a listener, nothing has to be closed.
    process.on('SIGHUP', () => process.emit('SIGINT', 'SIGINT') || process.exit(0))
    await start(readSettings(given))
  } catch (error) {
    fail(error)
  }
}

async function start(settings: ReturnType<typeof readSettings>): Promise<void> {
  limitYoungGeneration()
  const { config } = settings
  const folderWarnings = needsDataFolder(config) ? requireDataFolder(config.dataDir) : []
  const weakKey = describeWeakKey(config.secretKey, config.dataDir)
  const { namesInFile } = settings
  const warnings = [...settings.warnings, ...folderWarnings, ...(weakKey === undefined ? [] : [weakKey])]
  const lock = config.databaseUrl === null ? await lockDataFolder(config.dataDir) : null
  const reports = new ErrorReports()
  const tls = await openTls({ config, readMachine, now: Date.now })
  const database = await openDatabase(config, {
    onError: (error) => reports.report(error, 'a connection to the database failed'),
  })
  const nodeId = newId()
  const node = await openNode(database, nodeId, (error) =>
    reports.report(error, 'the row of this server could not be renewed'),
  )
  try {
    await serve({ config, warnings, namesInFile, database, node, nodeId, reports, tls, lock })
  } catch (error) {
    await node.close()
    throw error
  }
}

interface Opened {
  readonly config: Config
  readonly warnings: readonly string[]
  readonly namesInFile: readonly string[]
  readonly database: Database
  readonly node: Node
  readonly nodeId: string
  readonly reports: ErrorReports
  readonly tls: Awaited<ReturnType<typeof openTls>>
  /** Null with PostgreSQL. */
  readonly lock: { release(): void } | null
}

/** Opens what works with the database, and listens. */
async function serve({
  config,
  warnings,
  namesInFile,
  database,
  node,
  nodeId,
  reports,
  tls,
  lock,
}: Opened): Promise<void> {
  const servers = tls === null ? null : createTlsServers(tls.credentials)
  const now = Date.now
  const sealer = await openSealer(database.db, config, now())
  if (config.demoShareId === builtInDemoShareId) await seedDemoShare(database, now())
  const deps = { config, database, sealer, now, passwords: createPasswordHasher() }
  const guards = openGuards(config.outgoing)
  const identity = await openIdentity(deps, {
    guard: guards.operatorSupplied,
    onNewUser: (trx, user) => insertDefaultBots(trx, user, { ...deps, addConnectors: addDefaultConnectors }),
  })
  const app = await createApp({
    config,
    database,
    sealer,
    identity,
    guards,
    pushKeys: await ensurePushKeys({ db: database.db, sealer, now }),
    nodeId,
    metrics: openMetrics(),
    now,
    webRoot,
    tls: tls === null || servers === null ? null : { ...tls, servers },
  })
  reports.reportTo((error, message) => app.log.error({ err: error }, message))
  await listen(app, config)
  const risk = await describeConnectionRisk(config.databaseUrl)
  if (risk?.isAccepted === false) app.log.warn(risk.message)
  for (const warning of [...warnings, ...findDataWarnings(config, readContainerFacts(config))])
    app.log.warn(warning)
  const stopWatching = tls?.watch(
    (credentials) => servers?.setCredentials(credentials),
    (error) => reports.report(error, 'the certificate could not be renewed'),
  )
  print([
    `Yonder is at ${config.publicUrl}`,
    `Its data is in ${describeStorage(config)}`,
    // The folder may have a file that somebody else has left there.
    ...(namesInFile.length === 0 ? [] : [`It has read ${resolve('.env')}: ${namesInFile.join(', ')}`]),
    ...(tls?.notes ?? []),
  ])
  if (hasServiceManager())
    notifyReady().catch((error: unknown) =>
      app.log.warn({ err: error }, 'systemd-notify could not say that the server is ready'),
    )
  const warn = (text: string): void => app.log.warn(text)
  watchResources(warn)
  watchClock(database, warn, now)
  if (identity.setUpUrl !== null) print([`Create the first account at ${identity.setUpUrl}`])
  void findHostOllama({ config, guards }).then(print)

  const close = async (): Promise<void> => {
    await Promise.all([app.close(), stopWatching?.()])
    await Promise.all([identity.close(), guards.close(), node.close()])
    await database.close()
    lock?.release()
  }
  stopOnSignals(reports, {
    drain: (name, signal) =>
      app.drain({
        maxMs: Math.max(config.drainMs, minDrainMs),
        // At a terminal, nobody waits for proxies.
        noticeMs: name === 'SIGINT' ? 0 : Math.min(maxNoticeMs, config.drainMs * noticeShare),
        findOther: () => node.drain(),
        signal,
      }),
    close: () => closeInTime(close),
  })
}

/** Milliseconds for closing everything. What stops the process may end it a moment after DRAIN_SECONDS. */
const maxCloseMs = 9_000

/** Resolves when everything is closed, or says that it is not: a database may never respond. */
async function closeInTime(close: () => Promise<void>): Promise<void> {
  let isClosed = false
  await waitAtMost(
    close().then(() => (isClosed = true)),
    maxCloseMs,
  )
  if (isClosed) return
  process.stderr.write(
    'The server ended before everything was closed, because the database or a client did not respond. Replies that were being written keep the text that was shown.\n',
  )
}

/** Where the data is, without the password of the database. */
function describeStorage({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === null) return dataDir
  const { hostname, port, pathname } = new URL(withHost(databaseUrl))
  return `PostgreSQL at ${hostname}${port && `:${port}`}${pathname}`
}

function openMetrics(): Registry {
  const metrics = new Registry()
  collectDefaultMetrics({
    register: metrics,
    prefix: 'yonder_',
    eventLoopMonitoringPrecision: eventLoopSampleMs,
  })
  return metrics
}

/** Prints lines that stay together: the log is written to the same output meanwhile. */
function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

interface Stop {
  /** Lets what runs end, at the latest when the signal aborts. */
  drain(name: 'SIGTERM' | 'SIGINT', signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/**
 * Drains, closes everything and exits on SIGTERM and SIGINT. A second signal ends the drain, and a third one the
 * process. Without a drain when too many exceptions were not caught, because then nothing can be trusted.
 */
function stopOnSignals(reports: ErrorReports, { drain, close }: Stop): void {
  const drained = new AbortController()
  let signals = 0
  const stop = (code: number, work: Promise<void>): void => {
    work.then(close).then(() => process.exit(code), fail)
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.on(name, () => {
      signals += 1
      if (signals === 1) stop(0, drain(name, drained.signal))
      else if (signals === 2) drained.abort()
      else process.exit(0)
    })
  handleProcessErrors(process, {
    report: reports.report,
    stop() {
      if (signals === 0) stop(1, Promise.resolve())
      signals += 1
      drained.abort()
    },
  })
}

function fail(error: unknown): never {
  process.stderr.write(`${describeFailure(error)}\n`)
  process.exit(1)
}

/** What the operator reads: a sentence when the cause is known, and otherwise the place in the code. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ConfigError || error instanceof AppError) return error.message
  const fileProblem = findFileProblem(error)
  if (fileProblem !== undefined)
    return `Yonder cannot start, because ${fileProblem} (${error.message}). Put this right, then start it again.`
  const advice = adviseOperator(error)
  if (advice !== null) return `Yonder cannot start, because its database failed: ${error.message}. ${advice}`
  return error.stack ?? error.message
}

import { Registry } from 'prom-client'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config/config.ts'
import { type ConnectionOptions, openDatabase } from '../../db/open-database.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { openGuards } from '../../http/outgoing/guarded-fetch.ts'
import type { User } from '../../identity/user.ts'
import { newId } from '../../lib/new-id.ts'
import { ensurePushKeys } from '../../notifications/push-keys.ts'
import { createTestIdentity } from '../identity/test-identity.ts'
import { watchSteps } from './watch-steps.ts'

/*
 * A server in a process of its own, for tests that kill it. It accepts one user with one token, and prints the address
 * that it listens at. If `killAt` is given, it prints the steps of `watchSteps` from then on, each with a number, and
 * kills itself at the one of that name.
 */
interface NodeOptions {
  readonly environment: Readonly<Record<string, string>>
  readonly user: User
  readonly token: string
  readonly limits: ConnectionOptions
  readonly killAt?: string
}

const { environment, user, token, limits, killAt } = JSON.parse(process.argv[2] ?? '') as NodeOptions
const config = parseConfig(environment)
const opened = await openDatabase(config, limits)
const steps = new Map<string, number>()
let isListening = false
const database = killAt === undefined ? opened : watchSteps(opened, takeStep)
const sealer = createSealer('a secret of tests that is long enough')
const app = await createApp({
  config,
  database,
  sealer,
  identity: {
    ...createTestIdentity(database, () => Promise.resolve()),
    async register(server) {
      if (killAt !== undefined) server.addHook('onSend', async () => takeStep('before a response'))
    },
    verify: (received) =>
      received === token ? Promise.resolve(user) : Promise.reject(new Error('The token is unknown.')),
  },
  guards: openGuards(config.outgoing),
  pushKeys: await ensurePushKeys({ db: database.db, sealer, now: Date.now }),
  nodeId: newId(),
  metrics: new Registry(),
  now: Date.now,
  webRoot: '/nonexistent',
  tls: null,
})
const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`${address}\n`)
isListening = true

function takeStep(name: string): void {
  if (!isListening) return
  const number = (steps.get(name) ?? 0) + 1
  steps.set(name, number)
  process.stdout.write(`${name} ${number}\n`)
  if (`${name} ${number}` === killAt) process.kill(process.pid, 'SIGKILL')
}

import { Registry } from 'prom-client'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config/config.ts'
import { type ConnectionOptions, openDatabase } from '../../db/open-database.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { openGuards } from '../../http/outgoing/guarded-fetch.ts'
import type { User } from '../../identity/user.ts'
import { newId } from '../../lib/new-id.ts'
import { createTestIdentity } from '../identity/test-identity.ts'

/*
 * A server in a process of its own, for tests that kill it. It accepts one user with one token, and prints the address
 * that it listens at.
 */
interface NodeOptions {
  readonly environment: Readonly<Record<string, string>>
  readonly user: User
  readonly token: string
  readonly limits: ConnectionOptions
}

const { environment, user, token, limits } = JSON.parse(process.argv[2] ?? '') as NodeOptions
const config = parseConfig(environment)
const database = await openDatabase(config, limits)
const app = await createApp({
  config,
  database,
  sealer: createSealer('a secret of tests that is long enough'),
  identity: {
    ...createTestIdentity(database, () => Promise.resolve()),
    verify: (received) =>
      received === token ? Promise.resolve(user) : Promise.reject(new Error('The token is unknown.')),
  },
  guards: openGuards(config.outgoing),
  nodeId: newId(),
  metrics: new Registry(),
  now: Date.now,
  webRoot: '/nonexistent',
  tls: null,
})
const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`${address}\n`)

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import { openGuards } from '../../http/outgoing/guarded-fetch.ts'
import { collectGarbage } from '../../testing/collect-garbage.ts'
import { openGmail } from '../gmail/client.ts'
import { googleLimits } from './retry.ts'

it('ends an attempt at its time limit and retries it, even after garbage collection', async () => {
  let requests = 0
  const server = createServer((_request, response) => {
    if (++requests > 1) response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const guards = openGuards(parseConfig({}).outgoing)
  const deps = {
    requireAccess: () => Promise.resolve('token'),
    fetch: guards.operatorSupplied.fetch,
    recordFailure: () => Promise.resolve(),
    apiUrls: { gmail: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calendar: '' },
    limits: { ...googleLimits, attemptTimeoutMs: 500, retryDelayMs: 1 },
    now: Date.now,
  }
  const { api } = await openGmail(deps, 'ada', new AbortController().signal)
  const listed = api.labels.list({ userId: 'me' })
  await expect.poll(() => requests).toBe(1)
  await collectGarbage()
  await collectGarbage()
  expect((await listed).status).toBe(200)
  expect(requests).toBe(2)
  await guards.close()
  server.closeAllConnections()
  server.close()
})

import type { Integration } from '@yonder/contract/integration'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import { createSealer, type Sealer } from '../../db/secrets/seal-secret.ts'
import { openGuards, type Guards } from '../../http/outgoing/guarded-fetch.ts'
import { countWaiting } from '../../testing/database/count-waiting.ts'
import {
  engines,
  isConcurrent,
  openTestDatabase,
  type TestDatabase,
} from '../../testing/database/test-database.ts'
import { addUser } from '../../testing/factories/users.ts'
import {
  startGoogleStandIn,
  type GoogleStandIn,
} from '../../testing/google-stand-in/start-google-stand-in.ts'
import { sealGoogleTokens } from '../integration-credential.ts'
import { requireIntegration, updateIntegration } from '../integration-store.ts'
import { createIntegration, disconnectIntegration } from '../manage-integrations.ts'
import { openIntegrations, type Integrations } from '../open-integrations.ts'
import { presentIntegration } from '../present-integration.ts'
import { finishGoogleConsent, startGoogleConsent } from './consent.ts'

const minute = 60_000
const name = 'google-gmail'

describe.each(engines)('access to Google on %s', (engine) => {
  let google: GoogleStandIn
  let guards: Guards
  let database: TestDatabase
  let here: Integrations
  let there: Integrations
  let clock: number
  let changes: string[]
  /** How often stored tokens were decrypted. */
  let reads: number
  let user: { readonly id: string }

  function open(
    secretKey = 'a secret of tests that is long enough',
    now: () => number = () => clock,
  ): Integrations {
    const config = parseConfig(google.environment)
    const sealer = createSealer(secretKey)
    const countingSealer: Sealer = {
      ...sealer,
      open(sealed, context) {
        reads++
        return sealer.open(sealed, context)
      },
    }
    return openIntegrations(
      { config, database, sealer: countingSealer, now, guards },
      { onChanged: (userId) => changes.push(userId), onError: () => undefined },
    )
  }

  beforeAll(async () => {
    google = await startGoogleStandIn()
    guards = openGuards(parseConfig({}).outgoing)
    database = await openTestDatabase(engine)
    here = open()
    there = open()
  })
  beforeEach(async ({ task }) => {
    google.reset()
    changes = []
    reads = 0
    clock = Date.now()
    user = await addUser(database.db, { id: task.id })
    await createIntegration(here.deps, user, { name, auth_type: 'oauth' })
    await consent()
  })
  afterAll(async () => {
    await Promise.all([here.close(), there.close()])
    await guards.close()
    await google.close()
    await database.close()
  })

  async function consent(): Promise<void> {
    const redirect = await fetch(await startGoogleConsent(here.deps, user, name), { redirect: 'manual' })
    const { searchParams } = new URL(redirect.headers.get('location') ?? '')
    const [code, state] = [searchParams.get('code') ?? '', searchParams.get('state') ?? '']
    await finishGoogleConsent(here.deps, user, name, { code, state })
  }
  const access = (node = here, rejectedToken?: string) =>
    node.requireGoogleAccess(user.id, name, rejectedToken === undefined ? {} : { rejectedToken })
  const refreshes = () => google.tokenRequests.filter((form) => form['grant_type'] === 'refresh_token').length
  const read = async (): Promise<Integration> =>
    presentIntegration(here.deps, await requireIntegration(database.db, user, name))
  const ended = {
    code: 'not_connected',
    message: 'The connection to Gmail has ended. Connect it again under Settings, Integrations.',
  }

  it('uses a valid token without a request to Google', async () => {
    const first = await access()
    expect(google.grants.find(first)?.account).toBe('ada@example.com')
    clock += 54 * minute
    expect(await access()).toEqual(first)
    expect(refreshes()).toBe(0)
  })

  it('refreshes a token five minutes before it expires, and stores the new one', async () => {
    const first = await access()
    clock += 55.5 * minute
    const second = await access()
    expect(second).not.toBe(first)
    expect(google.grants.find(second)).toBeDefined()
    expect(await access()).toEqual(second)
    expect(refreshes()).toBe(1)
    expect(await read()).toMatchObject({ connected: true, notice: null })
  })

  it('refreshes once for many calls at the same time', async () => {
    clock += 61 * minute
    const accesses = await Promise.all(Array.from({ length: 8 }, () => access()))
    expect(new Set(accesses).size).toBe(1)
    expect(refreshes()).toBe(1)
  })

  it('throws the error of one failed refresh for all waiting calls', async () => {
    google.behaviour.token = 'hang'
    clock += 61 * minute
    const before = reads
    const waiting = Promise.allSettled(Array.from({ length: 5 }, () => access()))
    // All calls must wait before Google responds. A later call would start another refresh.
    await expect.poll(() => reads - before, { interval: 5 }).toBe(5)
    await expect.poll(refreshes, { interval: 5 }).toBe(1)
    google.behaviour.token = 'fail'
    google.releaseTokens()
    const refused = await waiting
    expect(refused).toEqual(
      refused.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'upstream_error' }),
      })),
    )
    expect(refreshes()).toBe(1)
  })

  it.runIf(isConcurrent(engine))('refreshes once over several nodes', async () => {
    google.grants.rotatesRefreshTokens = true
    clock += 61 * minute
    const nodes = [here, there, here, there]
    const accesses = await Promise.all(nodes.map((node) => access(node)))
    expect(new Set(accesses).size).toBe(1)
    expect(refreshes()).toBe(1)
    clock += 61 * minute
    expect(await access(there)).not.toBe(accesses[0])
    expect(refreshes()).toBe(2)
  })

  it('refreshes once on two nodes whose clocks differ by more than the lease', async () => {
    clock += 61 * minute
    const ahead = open(undefined, () => clock + 10 * minute)
    google.behaviour.token = 'hang'
    const first = access(here)
    await expect.poll(refreshes, { interval: 5 }).toBe(1)
    const before = reads
    const second = access(ahead)
    // The second node has read the tokens, and reads them again while it waits for the first.
    await expect.poll(() => reads - before >= 2 || refreshes() > 1, { interval: 5 }).toBe(true)
    google.behaviour.token = 'issue'
    google.releaseTokens()
    expect(await second).toBe(await first)
    expect(refreshes()).toBe(1)
    await ahead.close()
  })

  it('keeps using a valid token while Google fails, and fails after the token expired', async () => {
    const first = await access()
    google.behaviour.token = 'fail'
    clock += 57 * minute
    expect(await access()).toEqual(first)
    clock += 4 * minute
    await expect(access()).rejects.toMatchObject({ code: 'upstream_error' })
    google.behaviour.token = 'html'
    await expect(access()).rejects.toMatchObject({ code: 'upstream_invalid' })
    expect(await read()).toMatchObject({ connected: true, notice: null })
    google.behaviour.token = 'issue'
    expect(await access()).not.toBe(first)
  })

  it('marks the integration as ended, once, when Google has ended the consent', async () => {
    google.grants.endAll()
    clock += 61 * minute
    changes = []
    await expect(access()).rejects.toMatchObject(ended)
    for (const node of [here, there]) await expect(access(node)).rejects.toMatchObject(ended)
    expect(refreshes()).toBe(1)
    expect(await read()).toMatchObject({
      connected: false,
      notice: 'Google has ended this connection. Connect again to use it.',
    })
    expect(await here.listStatuses(user.id)).toEqual(
      new Map([[name, { version: 2, isConnected: false, callError: null }]]),
    )
    expect(changes).toEqual([user.id])
    await consent()
    expect(changes).toEqual([user.id, user.id])
    expect(await read()).toMatchObject({ connected: true, notice: null })
    await access()
  })

  it('marks the integration as ended when Google rejects a token that has not expired', async () => {
    const token = await access()
    google.grants.endAll()
    await expect(access(here, token)).rejects.toMatchObject(ended)
    expect(await read()).toMatchObject({ connected: false })
  })

  it('refreshes a rejected token once for all rejected calls', async () => {
    const token = await access()
    google.grants.expireAccess()
    const [second, third] = await Promise.all([access(here, token), access(here, token)])
    expect(second).not.toBe(token)
    expect(third).toEqual(second)
    expect(await access(there, token)).toEqual(second)
    expect(refreshes()).toBe(1)
  })

  it('fails before the integration is connected, and after it was disconnected', async () => {
    await disconnectIntegration(here.deps, user, name)
    const notConnected = {
      code: 'not_connected',
      message: 'Gmail is not connected. Connect it under Settings, Integrations.',
    }
    await expect(access()).rejects.toMatchObject(notConnected)
    await expect(here.requireGoogleAccess(user.id, 'google-calendar')).rejects.toMatchObject({
      message: 'Google Calendar is not connected. Connect it under Settings, Integrations.',
    })
    await expect(here.requireGoogleAccess('another user', name)).rejects.toMatchObject(notConnected)
    expect(await here.listStatuses(user.id)).toEqual(new Map())
  })

  it('stays disconnected when it was disconnected during a refresh', async () => {
    clock += 61 * minute
    google.behaviour.token = 'hang'
    const refreshing = expect(access()).rejects.toMatchObject({ code: expect.any(String) })
    await expect.poll(refreshes, { interval: 5 }).toBe(1)
    await disconnectIntegration(there.deps, user, name)
    google.behaviour.token = 'issue'
    google.releaseTokens()
    await refreshing
    expect(await read()).toMatchObject({ connected: false, notice: null })
    expect((await requireIntegration(database.db, user, name)).tokens).toBeNull()
  })

  it('returns no token of an account that was connected after the request was approved', async () => {
    const { version } = await requireIntegration(database.db, user, name)
    const first = await here.requireGoogleAccess(user.id, name, { version })
    google.behaviour.account = 'eve@example.com'
    await consent()
    const refused = {
      code: 'conflict',
      message:
        'Gmail was connected again before the request was sent, so the request was not sent. Try again.',
    }
    await expect(here.requireGoogleAccess(user.id, name, { version })).rejects.toMatchObject(refused)
    // Google has ended the former consent, so the first token is rejected.
    await expect(
      here.requireGoogleAccess(user.id, name, { version, rejectedToken: first }),
    ).rejects.toMatchObject(refused)
    expect(google.grants.find(await access())?.account).toBe('eve@example.com')
  })

  it('returns no token of an account that was connected during a refresh', async () => {
    const { version } = await requireIntegration(database.db, user, name)
    clock += 61 * minute
    google.behaviour.token = 'hang'
    const refreshing = expect(here.requireGoogleAccess(user.id, name, { version })).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect.poll(refreshes, { interval: 5 }).toBe(1)
    google.behaviour.token = 'issue'
    google.behaviour.account = 'eve@example.com'
    await consent()
    google.releaseTokens()
    await refreshing
  })

  it('does not return a token that is about to expire when the refresh took long and failed', async () => {
    clock += 57 * minute
    google.behaviour.token = 'hang'
    const refreshing = expect(access()).rejects.toMatchObject({ code: 'upstream_error' })
    await expect.poll(refreshes, { interval: 5 }).toBe(1)
    clock += 2.5 * minute
    google.behaviour.token = 'fail'
    google.releaseTokens()
    await refreshing
  })

  it('returns no token, not even a valid one, when another account was connected during an early refresh', async () => {
    const { version } = await requireIntegration(database.db, user, name)
    clock += 57 * minute
    google.behaviour.token = 'hang'
    const refreshing = expect(here.requireGoogleAccess(user.id, name, { version })).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect.poll(refreshes, { interval: 5 }).toBe(1)
    google.behaviour.token = 'issue'
    google.behaviour.account = 'eve@example.com'
    await consent()
    google.releaseTokens()
    await refreshing
  })

  it('keeps the status of an integration when a call with its former account fails or works', async () => {
    const { version } = await requireIntegration(database.db, user, name)
    const former = { userId: user.id, version }
    const present = { userId: user.id, version: version + 1 }
    await consent()
    changes = []
    await here.recordFailure(former, name, 'The former account is closed.')
    expect(await read()).toMatchObject({ connected: true, notice: null })
    expect(changes).toEqual([])
    await here.recordFailure(present, name, 'The account is closed.')
    await here.recordFailure(former, name, null)
    expect((await requireIntegration(database.db, user, name)).call_error).toBe('The account is closed.')
    expect(changes).toEqual([user.id])
  })

  it.runIf(engine === 'postgres' && isConcurrent(engine))(
    'revokes the tokens of an account that is connected while the integration is being disconnected',
    async () => {
      const { db } = database
      const row = await requireIntegration(db, user, name)
      const issued = { accessToken: 'new', refreshToken: null, expiresAt: clock + 60 * minute, scopes: [] }
      const tokens = sealGoogleTokens(here.deps.sealer, row, issued, 'new refresh token')
      let disconnecting: Promise<unknown> | undefined
      await db.transaction().execute(async (trx) => {
        await updateIntegration(trx, row, { tokens })
        disconnecting = disconnectIntegration(here.deps, user, name)
        await expect.poll(() => countWaiting(trx)).toBe(1)
      })
      await disconnecting
      expect(await read()).toMatchObject({ connected: false })
      await expect.poll(() => google.revocations).toEqual(['new refresh token'])
    },
  )

  it.each([
    ['had died while refreshing them', -1],
    ['dies while refreshing them', 300],
  ])('refreshes tokens when another process %s', async (_when, remainingMs) => {
    clock += 61 * minute
    await database.db
      .updateTable('integrations')
      .set({ refreshing_until: Date.now() + remainingMs })
      .where('user_id', '=', user.id)
      .execute()
    await access()
    expect(refreshes()).toBe(1)
  })

  it('is not connected while its tokens cannot be decrypted, and works again with the former key', async () => {
    const token = await access()
    const other = open('another secret that is just as long')
    await expect(access(other)).rejects.toMatchObject({
      code: 'not_connected',
      message:
        'The stored connection to Gmail cannot be decrypted, because SECRET_KEY has changed. Connect it again under Settings, Integrations.',
    })
    expect(presentIntegration(other.deps, await requireIntegration(database.db, user, name))).toMatchObject({
      connected: false,
      notice:
        'The stored connection to Google cannot be decrypted, because SECRET_KEY of this server has changed. Connect again to use it.',
    })
    expect((await other.listStatuses(user.id)).get(name)).toMatchObject({ isConnected: false })
    await other.close()
    expect(await read()).toMatchObject({ connected: true, notice: null })
    expect(await access()).toBe(token)
  })

  it('revokes the consent although the tokens of another integration cannot be decrypted', async () => {
    const calendar = 'google-calendar'
    const row = await createIntegration(here.deps, user, { name: calendar, auth_type: 'oauth' })
    const issued = { accessToken: 'a token', refreshToken: null, expiresAt: clock, scopes: [] }
    const sealer = createSealer('another secret that is just as long')
    const tokens = sealGoogleTokens(sealer, row, issued, 'a refresh token')
    await updateIntegration(database.db, row, { tokens })
    await disconnectIntegration(here.deps, user, name)
    await expect.poll(() => google.revocations).toHaveLength(1)
  })
})

import type { NewWebhook, NotificationSettings, PushDevice, TestResult } from '@yonder/contract/notification'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseConfig } from '../config/config.ts'
import { openGuards } from '../http/outgoing/guarded-fetch.ts'
import type { ChatClient } from '../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, type ToolApp, waitingCall } from '../testing/chat/open-tool-app.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines } from '../testing/database/test-database.ts'
import { type PushService, startPushService } from '../testing/notifications/start-push-service.ts'
import { startWebhook } from '../testing/notifications/start-webhook.ts'

describe.each(engines)('the routes of notifications on %s', (engine) => {
  let service: PushService
  let webhook: Awaited<ReturnType<typeof startWebhook>>
  let product: ToolApp
  let ada: ChatClient
  let now: () => number
  beforeEach(async () => {
    now = Date.now
    ;[service, webhook] = await Promise.all([startPushService(), startWebhook()])
    const environment = {
      ALLOWED_PRIVATE_HOSTS: `${service.host},${webhook.host}`,
      PUBLIC_URL: 'http://localhost:3000',
    }
    product = await openToolApp({
      engine,
      environment,
      deps: {
        guards: openGuards(parseConfig(environment).outgoing, { authorities: [service.authority] }),
        now: () => now(),
      },
    })
    ada = await product.join()
  })
  afterEach(async () => {
    await product.close()
    await Promise.all([service.close(), webhook.close()])
  })

  const read = async (client: ChatClient = ada) =>
    (await client.get('/api/notifications')).json<NotificationSettings>()
  const subscribe = async (client: ChatClient = ada) =>
    (await client.post('/api/notifications/devices', service.subscribe())).json<PushDevice>()

  it('tell everything and nothing of the texts, until the user changes that', async () => {
    expect(await read()).toEqual({
      kinds: ['reply_ended', 'reply_failed', 'call_asks'],
      with_text: false,
      devices: [],
      webhook: null,
      push_key: expect.stringMatching(/^B[\w-]{86}$/),
    })
    const changed = await ada.patch('/api/notifications', { kinds: ['call_asks', 'call_asks'] })
    expect(changed.json()).toMatchObject({ kinds: ['call_asks'], with_text: false })
    await ada.patch('/api/notifications', { with_text: true })
    expect(await read()).toMatchObject({ kinds: ['call_asks'], with_text: true })
    expect(await read(await product.join('Eve'))).toMatchObject({ with_text: false })
  })

  it('keep both of two changes at once', async () => {
    await ada.patch('/api/notifications', { with_text: true })
    await Promise.all([
      ada.patch('/api/notifications', { kinds: ['call_asks'] }),
      ada.patch('/api/notifications', { with_text: false }),
    ])
    expect(await read()).toMatchObject({ kinds: ['call_asks'], with_text: false })
  })

  it('push to the browsers that subscribe, each once', async () => {
    const subscription = service.subscribe()
    await ada.post('/api/notifications/devices', subscription)
    const again = await ada.post('/api/notifications/devices', subscription)
    expect(again.statusCode).toBe(201)
    const { devices } = await read()
    expect(devices).toEqual([again.json()])
    const test = await ada.post(`/api/notifications/devices/${devices[0]?.id}/test`)
    expect(test.json<TestResult>()).toEqual({
      sent: true,
      message: 'The push service has accepted the notification.',
    })
    expect(service.received[0]?.payload.notification.body).toBe('Notifications arrive in this browser.')
    expect((await ada.delete(`/api/notifications/devices/${devices[0]?.id}`)).statusCode).toBe(204)
    expect((await read()).devices).toEqual([])
  })

  it.each([
    ['this machine', 'https://127.0.0.1:1/push', 422, 'address_refused'],
    ['a metadata service', 'https://169.254.169.254/push', 422, 'address_refused'],
    ['a private network', 'https://10.0.0.1/push', 422, 'address_refused'],
    ['a name and a password', 'https://a:b@push.example/', 422, 'address_refused'],
    ['plain http', 'http://push.example/', 400, 'invalid_request'],
    ['no address', 'push', 400, 'invalid_request'],
  ])('refuse a push service at %s, and store nothing', async (_, endpoint, status, code) => {
    const before = await hashTables(product.database)
    const response = await ada.post('/api/notifications/devices', { ...service.subscribe(), endpoint })
    expect(response.statusCode).toBe(status)
    expect(response.json()).toMatchObject({ error: { code } })
    expect(await hashTables(product.database)).toEqual(before)
  })

  it.each([
    ['of another length', { p256dh: 'B'.repeat(86), auth: 'A'.repeat(22) }],
    ['that are no points', { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) }],
    ['that are not on the curve', { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }],
    ['with a short secret', { p256dh: `B${'A'.repeat(86)}`, auth: 'A' }],
  ])('refuse keys %s', async (_, keys) => {
    const before = await hashTables(product.database)
    const response = await ada.post('/api/notifications/devices', { ...service.subscribe(), keys })
    expect(response.statusCode).toBe(400)
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('refuse a twenty-first browser, and store nothing', async () => {
    for (let count = 0; count < 20; count++) await subscribe()
    const before = await hashTables(product.database)
    const response = await ada.post('/api/notifications/devices', service.subscribe())
    expect(response.statusCode).toBe(409)
    expect(response.json()).toMatchObject({
      error: { message: 'Notifications go to at most 20 browsers. Remove one of them first.' },
    })
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('show the secret of a webhook once, and make a new one with each address', async () => {
    const saved = (await ada.put('/api/notifications/webhook', { url: webhook.url })).json<NewWebhook>()
    expect(saved).toEqual({ url: webhook.url, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) })
    const shown = JSON.stringify(await read())
    expect(shown).not.toContain(saved.secret)
    expect(shown).toContain('whse••••••••')
    expect((await ada.post('/api/notifications/webhook/test')).json()).toMatchObject({ sent: true })
    expect(JSON.parse(webhook.received[0]?.body ?? '')).toMatchObject({ type: 'test' })
    const again = (await ada.put('/api/notifications/webhook', { url: webhook.url })).json<NewWebhook>()
    expect(again.secret).not.toBe(saved.secret)
    webhook.respond({ status: 401 })
    expect((await ada.post('/api/notifications/webhook/test')).json()).toEqual({
      sent: false,
      message: 'The webhook responded with the status 401.',
    })
    expect((await read()).webhook?.error).toBe('The webhook responded with the status 401.')
    expect((await ada.delete('/api/notifications/webhook')).statusCode).toBe(204)
    expect((await ada.delete('/api/notifications/webhook')).statusCode).toBe(404)
    expect((await ada.post('/api/notifications/webhook/test')).statusCode).toBe(404)
  })

  it.each([
    ['http://169.254.169.254/', 422],
    ['http://10.0.0.1/', 422],
    ['http://127.0.0.1:3000/', 422],
    ['ftp://hooks.example/', 400],
  ])('refuse the webhook %s, and store nothing', async (url, status) => {
    const before = await hashTables(product.database)
    expect((await ada.put('/api/notifications/webhook', { url })).statusCode).toBe(status)
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('tell of a call that asks, of its question, and of the long reply after it', async () => {
    await subscribe()
    await product.connect(ada, 'elicitation', { name: 'tools' })
    product.model.reply([callOf('tools', 'act')])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Act')
    await stream.ended
    const [asked] = await service.until(1)
    expect(asked?.payload.notification.title).toBe('A call needs your approval.')
    product.model.reply(['Answered.'])
    const confirmed = await ada.confirm(waitingCall(chatId, stream))
    await service.until(2)
    expect(service.received[1]?.payload.notification.title).toBe('A call needs your approval.')
    await confirmed.until(({ run }) => run.messages[1]?.call?.question !== undefined)
    now = () => Date.now() + 40_000
    const reply = confirmed.run.messages[1]
    await ada.post('/api/tool/answer', {
      chatId,
      messageId: reply?.id,
      questionId: reply?.call?.question?.id,
      answer: { action: 'decline' },
    })
    await confirmed.ended
    await service.until(3)
    expect(service.received[2]?.payload.notification.title).toBe('Helper has answered.')
  })

  it('tell nothing while a tab is visible', async () => {
    await subscribe()
    await ada.put('/api/notifications/presence', { tab: 'one', visible: true })
    product.model.reply([{ status: 400, body: { error: { message: 'No.' } } }])
    const failing = await ada.send(await ada.newChat(), 'Fail')
    await failing.ended
    await ada.put('/api/notifications/presence', { tab: 'one', visible: false })
    product.model.reply([{ status: 400, body: { error: { message: 'No.' } } }])
    const told = await ada.send(await ada.newChat(), 'Fail again')
    await told.ended
    await service.until(1)
    expect(service.received[0]?.payload.notification.title).toBe('Helper could not answer.')
    await vi.waitFor(async () =>
      expect(
        await product.database.db
          .selectFrom('notices')
          .select('id')
          .where('ended_at', 'is not', null)
          .execute(),
      ).toHaveLength(1),
    )
  })
})

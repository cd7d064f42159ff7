import { createHmac } from 'node:crypto'
import { WebhookPayload } from '@yonder/contract/notification'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { engines } from '../testing/database/test-database.ts'
import {
  ada,
  openNotificationScene,
  type NotificationScene,
} from '../testing/notifications/open-notification-scene.ts'
import { claimNotices, findWebhook, listDevices, changeChoices, storePresence } from './notification-store.ts'

describe.each(engines)('notices on %s', (engine) => {
  let scene: NotificationScene
  beforeEach(async () => {
    scene = await openNotificationScene(engine)
  })
  afterEach(async () => {
    await scene.close()
    expect(scene.errors).toEqual([])
  })

  /** Resolves when every notice has ended, and returns their attempts. */
  const untilEnded = () =>
    vi.waitFor(async () => {
      const notices = await scene.listNotices()
      expect(notices.filter(({ ended_at }) => ended_at === null)).toEqual([])
      expect(notices).not.toEqual([])
      return notices.map(({ attempts }) => attempts)
    })

  /** Sends what is on its way with a node of its own, as if every pause were over, and waits for the responses. */
  async function sendNow(): Promise<void> {
    await scene.endPauses()
    const node = scene.openNode()
    await node.look()
    await node.close()
  }

  describe('are pushed', () => {
    it('encrypted for the browser and signed by this installation, without a word of the chat', async () => {
      const id = await scene.addDevice()
      const run = await scene.addEndedRun()
      scene.node.onEnded(run)
      const [push] = await scene.service.until(1)
      expect(push?.payload).toEqual({
        web_push: 8030,
        notification: {
          title: 'Owl has answered.',
          body: 'Open the chat to read the reply.',
          navigate: `https://chat.example/chat/${run.chatId}`,
          tag: run.chatId,
        },
      })
      expect(push?.headers).toMatchObject({ ttl: '3600', urgency: 'normal' })
      expect(push?.headers['topic']).toMatch(/^[\w-]{32}$/)
      expect(push?.senderKey).toBe(scene.pushKeys.publicKey)
      expect(push?.claims.sub).toBe('mailto:admin@chat.example')
      expect(push?.claims.exp).toBeLessThanOrEqual(Date.now() / 1_000 + 24 * 3_600)
      expect(await untilEnded()).toEqual([1])
      expect(await listDevices(scene.database.db, ada)).toMatchObject([{ id, used_at: expect.any(Number) }])
    })

    it('with the title and the text when the user has switched them on', async () => {
      await changeChoices(scene.database.db, ada, { kinds: ['reply_ended'], with_text: true })
      await scene.addDevice()
      scene.node.onEnded(await scene.addEndedRun())
      const [push] = await scene.service.until(1)
      expect(push?.payload.notification.body).toBe('Owls\nOwls hunt at night.')
    })

    it('urgently when a call asks, of whatever length the reply was', async () => {
      await scene.addDevice()
      scene.node.onEnded(await scene.addEndedRun({ seconds: 1, reply: { call_state: 'waiting' } }))
      const [push] = await scene.service.until(1)
      expect(push?.payload.notification.title).toBe('A call needs your approval.')
      expect(push?.headers['urgency']).toBe('high')
    })

    it.each([
      ['failed', 'Owl could not answer.'],
      ['interrupted', 'Owl could not answer.'],
    ] as const)('when the reply is %s', async (status, title) => {
      await scene.addDevice()
      scene.node.onEnded(await scene.addEndedRun({ status, seconds: 1 }))
      const [push] = await scene.service.until(1)
      expect(push?.payload.notification.title).toBe(title)
    })

    it('once to each device, whoever reports the end of the run', async () => {
      await scene.addDevice()
      await scene.addDevice()
      const run = await scene.addEndedRun()
      const other = scene.openNode()
      scene.node.onEnded(run)
      other.onEnded(run)
      await scene.service.until(2)
      await untilEnded()
      // A node that has lost the run says so later.
      scene.node.onEnded(run)
      await other.close()
      await scene.node.close()
      expect(scene.service.received).toHaveLength(2)
    })

    it('by another node, once, when the one that had begun was killed', async () => {
      await scene.addDevice()
      await scene.database.db.deleteFrom('notices').execute()
      const dead = scene.openNode()
      await dead.close()
      const run = await scene.addEndedRun()
      dead.onEnded(run)
      await vi.waitFor(async () => expect(await scene.listNotices()).toHaveLength(1))
      expect(await claimNotices(scene.database, { limit: 9, leaseMs: 30_000 })).toHaveLength(1)
      await scene.node.look()
      expect(scene.service.received).toEqual([])
      await scene.endPauses()
      await scene.node.look()
      expect(await untilEnded()).toEqual([2])
      expect(scene.service.received).toHaveLength(1)
    })

    it.each([404, 410])('no more to a device of which the service says %i', async (status) => {
      await scene.addDevice()
      scene.service.respond({ status })
      scene.node.onEnded(await scene.addEndedRun())
      await untilEnded()
      expect(await listDevices(scene.database.db, ada)).toEqual([])
      expect(scene.changed).toEqual([ada.id])
    })

    it('no more to a device that has subscribed with a former key, when it is refused', async () => {
      await scene.addDevice(scene.service.subscribe(), 'a former key')
      scene.service.respond({ status: 403 })
      scene.node.onEnded(await scene.addEndedRun())
      await untilEnded()
      expect(await listDevices(scene.database.db, ada)).toEqual([])
    })

    it('no more of this notice when the service refuses it, and the device stays', async () => {
      await scene.addDevice()
      scene.service.respond({ status: 403 }, { status: 400 })
      scene.node.onEnded(await scene.addEndedRun())
      await untilEnded()
      expect(await listDevices(scene.database.db, ada)).toHaveLength(1)
      expect(scene.service.received).toHaveLength(1)
    })

    it('again, at most six times, when the service has an error', async () => {
      await scene.addDevice()
      scene.service.respond(...Array.from({ length: 9 }, () => ({ status: 503 })))
      scene.node.onEnded(await scene.addEndedRun())
      await scene.node.close()
      const pauses: number[] = []
      for (let count = 1; count < 6; count++) {
        const [notice] = await scene.listNotices()
        pauses.push(Math.round((Number(notice?.due_at) - Date.now()) / 10_000) * 10)
        await sendNow()
      }
      expect(pauses).toEqual([10, 30, 120, 600, 1_500])
      expect(await untilEnded()).toEqual([6])
      expect(scene.service.received).toHaveLength(6)
    })

    it('after the time that the service asks for, unless that is too late', async () => {
      await scene.addDevice()
      scene.service.respond({ status: 429, headers: { 'retry-after': '300' } })
      scene.node.onEnded(await scene.addEndedRun())
      await vi.waitFor(async () => {
        const [notice] = await scene.listNotices()
        expect(Number(notice?.due_at) - Date.now()).toBeGreaterThan(290_000)
      })
      scene.service.respond({ status: 429, headers: { 'retry-after': '3601' } })
      await scene.endPauses()
      await scene.node.look()
      expect(await untilEnded()).toEqual([2])
    })

    it('not to an address in a private network, whenever it came to be stored', async () => {
      const { keys } = scene.service.subscribe()
      await scene.addDevice({ endpoint: 'https://169.254.169.254/push', keys })
      await scene.addDevice({ endpoint: 'https://127.0.0.1:1/push', keys })
      scene.node.onEnded(await scene.addEndedRun())
      expect(await untilEnded()).toEqual([1, 1])
      expect(scene.service.received).toEqual([])
    })

    it('not after an hour', async () => {
      await scene.addDevice()
      scene.service.respond({ status: 503 })
      scene.node.onEnded(await scene.addEndedRun())
      await scene.node.close()
      await scene.database.db
        .updateTable('notices')
        .set({ created_at: Date.now() - 3_601_000 })
        .execute()
      await sendNow()
      expect(await untilEnded()).toEqual([2])
      expect(scene.service.received).toHaveLength(1)
    })
  })

  describe('are not even stored', () => {
    const expectNothing = async () => {
      await scene.node.close()
      expect(await scene.listNotices()).toEqual([])
    }

    it.each([
      ['for a short reply', { seconds: 29 }],
      ['for a reply that the user stopped', { status: 'stopped' }],
    ] as const)('%s', async (_, run) => {
      await scene.addDevice()
      scene.node.onEnded(await scene.addEndedRun(run))
      await expectNothing()
    })

    it('of a kind that the user has switched off', async () => {
      await changeChoices(scene.database.db, ada, { kinds: ['call_asks'], with_text: false })
      await scene.addDevice()
      scene.node.onEnded(await scene.addEndedRun())
      await expectNothing()
    })

    it('while a tab is visible, and are again when it is hidden', async () => {
      await scene.addDevice()
      await storePresence(scene.database, ada, 'tab', true)
      await storePresence(scene.database, ada, 'other', true)
      await storePresence(scene.database, ada, 'other', false)
      const run = await scene.addEndedRun()
      const other = scene.openNode()
      other.onEnded(run)
      await other.close()
      expect(await scene.listNotices()).toEqual([])
      // A tab that was closed without a word counts for 45 seconds.
      await scene.database.db
        .updateTable('visible_tabs')
        .set({ visible_until: Date.now() - 1 })
        .execute()
      scene.node.onEnded(run)
      await scene.service.until(1)
    })

    it('for a disabled user, whose notices are not sent either', async () => {
      await scene.addDevice()
      scene.service.respond({ status: 503 })
      scene.node.onEnded(await scene.addEndedRun())
      await scene.service.until(1)
      await scene.database.db.updateTable('users').set({ disabled_at: 1 }).execute()
      scene.node.onEnded(await scene.addEndedRun())
      await scene.node.close()
      const other = scene.openNode()
      await scene.endPauses()
      await other.look()
      await other.close()
      expect(await scene.listNotices()).toMatchObject([{ attempts: 1 }])
      expect(scene.service.received).toHaveLength(1)
    })

    it('without a device or a webhook', async () => {
      scene.node.onEnded(await scene.addEndedRun())
      await expectNothing()
    })
  })

  describe('go to a webhook', () => {
    it('signed as Standard Webhooks says', async () => {
      const secret = await scene.addWebhook()
      const run = await scene.addEndedRun({ status: 'failed' })
      scene.node.onEnded(run)
      const [{ headers, body } = { headers: {}, body: '' }] = await scene.webhook.until(1)
      expect(WebhookPayload.parse(JSON.parse(body))).toEqual({
        type: 'reply_failed',
        timestamp: expect.any(String),
        data: { chat_id: run.chatId, url: `https://chat.example/chat/${run.chatId}`, bot: 'Owl' },
      })
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
      expect(headers['webhook-signature']).toBe(
        `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
      )
    })

    it('again with the same id after a failure, which the user can read until it works', async () => {
      await scene.addWebhook()
      scene.webhook.respond({ status: 500 })
      scene.node.onEnded(await scene.addEndedRun())
      await vi.waitFor(async () =>
        expect(await findWebhook(scene.database.db, ada)).toMatchObject({
          error: 'The webhook responded with the status 500.',
        }),
      )
      await sendNow()
      const [first, second] = scene.webhook.received
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
      await vi.waitFor(async () =>
        expect(await findWebhook(scene.database.db, ada)).toMatchObject({ error: null }),
      )
    })

    it('but not where it redirects to', async () => {
      await scene.addWebhook()
      scene.webhook.respond({ status: 307, headers: { location: '/elsewhere' } })
      scene.node.onEnded(await scene.addEndedRun())
      expect(await untilEnded()).toEqual([1])
      expect(scene.webhook.received).toHaveLength(1)
      expect((await findWebhook(scene.database.db, ada))?.error).toMatch(/^The server redirects\./)
    })

    it('without holding up the others while it does not respond', async () => {
      await scene.addWebhook()
      await scene.addDevice()
      scene.webhook.respond('hold')
      scene.node.onEnded(await scene.addEndedRun())
      await scene.webhook.until(1)
      scene.node.onEnded(await scene.addEndedRun())
      await scene.service.until(2)
      await vi.waitFor(async () =>
        expect(await findWebhook(scene.database.db, ada)).toMatchObject({
          error: 'The server of the webhook did not respond within 10 seconds.',
        }),
      )
    })
  })
})

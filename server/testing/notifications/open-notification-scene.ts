import { pushSubscriptionContext, webhookSecretContext } from '../../db/secrets/seal-contexts.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { openGuards } from '../../http/outgoing/guarded-fetch.ts'
import { newId } from '../../lib/new-id.ts'
import { saveDevice, saveWebhook } from '../../notifications/notification-store.ts'
import { openNotifications } from '../../notifications/open-notifications.ts'
import { ensurePushKeys } from '../../notifications/push-keys.ts'
import { newWebhookSecret } from '../../notifications/send-webhook.ts'
import { type Engine, openTestDatabase } from '../database/test-database.ts'
import { addChat, addPath, type NewPathMessage } from '../factories/chats.ts'
import { addUser } from '../factories/users.ts'
import { startPushService } from './start-push-service.ts'
import { startWebhook } from './start-webhook.ts'

export const ada = { id: 'ada' }

/** A run of the test: by default one that was complete after 40 seconds. */
interface TestRun {
  readonly status?: 'complete' | 'failed' | 'stopped' | 'interrupted'
  readonly seconds?: number
  readonly reply?: NewPathMessage
  readonly title?: string
}

/** Opens the notifications with a user, a push service and a receiver of webhooks, without the rest of the product. */
export async function openNotificationScene(engine: Engine) {
  const [database, service, webhook] = await Promise.all([
    openTestDatabase(engine),
    startPushService(),
    startWebhook(),
  ])
  const sealer = createSealer('a secret of tests that is long enough')
  const { db } = database
  await addUser(db, ada)
  const guards = openGuards(
    {
      allowedPrivateHosts: [service.host, webhook.host],
      isLoopbackInstallation: false,
      ownPorts: [],
    },
    { authorities: [service.authority] },
  )
  const errors: unknown[] = []
  const changed: string[] = []
  const pushKeys = await ensurePushKeys({ db, sealer, now: Date.now })
  const openNode = () =>
    openNotifications(
      {
        database,
        sealer,
        guards,
        pushKeys,
        config: { publicUrl: 'https://chat.example', pushContact: 'mailto:admin@chat.example' },
        now: Date.now,
      },
      { onChanged: (userId) => changed.push(userId), onError: (error) => errors.push(error) },
    )
  const node = openNode()
  let chats = 0
  return {
    database,
    service,
    webhook,
    pushKeys,
    node,
    openNode,
    errors: errors as readonly unknown[],
    changed: changed as readonly string[],
    /** Stores a device of the user, by default one that subscribes now. */
    async addDevice(subscription = service.subscribe(), pushKey = pushKeys.publicKey): Promise<string> {
      const id = newId()
      await saveDevice(database, ada, {
        id,
        endpoint_hash: subscription.endpoint,
        subscription: sealer.seal(
          JSON.stringify({ ...subscription, push_key: pushKey }),
          pushSubscriptionContext({ id, user_id: ada.id }),
        ),
        label: 'Chrome on Linux',
        created_at: 1,
      })
      return id
    },
    /** Stores the webhook of the user, and returns its secret. */
    async addWebhook(url = webhook.url): Promise<string> {
      const secret = newWebhookSecret()
      await saveWebhook(db, ada, {
        url,
        secret: sealer.seal(JSON.stringify(secret), webhookSecretContext({ user_id: ada.id, url })),
        error: null,
        created_at: 1,
      })
      return secret
    },
    /** Stores a chat whose run has ended, as the notifications are told of it. */
    async addEndedRun({ status = 'complete', seconds = 40, reply, title = 'Owls' }: TestRun = {}) {
      chats += 1
      const chat = await addChat(db, { id: `chat${chats}`, user_id: ada.id, title, title_source: 'user' })
      const [, row] = await addPath(db, chat, [
        { content: 'Tell me about owls.' },
        { role: 'assistant', bot: 'Owl', content: 'Owls hunt\n at night.', ...reply },
      ])
      const replyId = row?.id ?? ''
      const { id } = await db
        .insertInto('runs')
        .values({
          chat_id: chat.id,
          user_id: ada.id,
          message_id: replyId,
          status,
          node_id: 'node',
          lease_until: 0,
          last_seq: 1,
          stop_requested: 0,
          started_at: 1_000,
          ended_at: 1_000 + seconds * 1_000,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      return { id, chatId: chat.id, userId: ada.id, replyId }
    },
    listNotices: () => db.selectFrom('notices').selectAll().orderBy('id').execute(),
    /** Makes every notice due that is still on its way, as if its pause were over. */
    async endPauses(): Promise<void> {
      await db.updateTable('notices').set({ due_at: 0 }).where('ended_at', 'is', null).execute()
    },
    async close(): Promise<void> {
      await node.close()
      await Promise.all([guards.close(), service.close(), webhook.close()])
      await database.close()
    },
  }
}

export type NotificationScene = Awaited<ReturnType<typeof openNotificationScene>>

import { createHash, createPublicKey } from 'node:crypto'
import * as contract from '@yonder/contract/notification'
import { z } from 'zod'
import type { Actor } from '../access/access.ts'
import { pushSubscriptionContext, webhookSecretContext } from '../db/secrets/seal-contexts.ts'
import type { PushSubscriptionRow } from '../db/tables/tables.ts'
import { AnyId, type Api, route } from '../http/api.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { requireUser } from '../identity/authenticate.ts'
import { AppError } from '../lib/app-error.ts'
import { describeDevice } from '../lib/describe-device.ts'
import { newId } from '../lib/new-id.ts'
import type { Delivery } from './delivery.ts'
import type { Notice } from './notice.ts'
import {
  changeChoices,
  deleteDevice,
  deleteWebhook,
  findChoices,
  findDevice,
  findWebhook,
  listDevices,
  saveDevice,
  saveWebhook,
  storePresence,
} from './notification-store.ts'
import { presentDevice, presentNotifications } from './present-notifications.ts'
import { deliverToDevice, deliverToWebhook, type SenderDeps } from './send-notices.ts'
import type { StoredSubscription } from './send-push.ts'
import { newWebhookSecret } from './send-webhook.ts'

export interface NotificationRoutesDeps extends SenderDeps {
  /** The policies for the addresses of push services and of webhooks. */
  readonly requireUrl: Readonly<Record<'push' | 'webhook', GuardedFetch['requireUrl']>>
  /** How often the tabs of a user may say that they are visible, apart from the limit of all changes. */
  readonly presencePerMinute: number
}

const noDevice = () => new AppError('not_found', 'There is no such browser. Reload the page.')
const noWebhook = () => new AppError('not_found', 'There is no webhook. Save its address first.')

/** Registers the routes of what a user is told, and where. */
export function registerNotificationRoutes(api: Api, deps: NotificationRoutesDeps): void {
  const { database, now, onChanged, push } = deps
  const { db } = database
  const { sealer, keys } = push

  async function present(user: Actor): Promise<contract.NotificationSettings> {
    const [choices, devices, webhook] = [
      await findChoices(db, user),
      await listDevices(db, user),
      await findWebhook(db, user),
    ]
    return presentNotifications({ choices, devices, webhook }, sealer, keys.publicKey)
  }

  api.get(
    '/api/notifications',
    route('user', 'Read what the user is told, and where', [], {
      response: { 200: contract.NotificationSettings },
    }),
    async (request) => present(requireUser(request)),
  )

  api.patch(
    '/api/notifications',
    route('user', 'Change what the user is told', [], {
      body: contract.NotificationChange,
      response: { 200: contract.NotificationSettings },
    }),
    async (request) => {
      const user = requireUser(request)
      await changeChoices(db, user, request.body)
      onChanged(user.id)
      return present(user)
    },
  )

  api.post(
    '/api/notifications/devices',
    route('user', 'Push notifications to this browser', ['conflict', 'address_refused'], {
      body: contract.PushSubscriptionInput,
      response: { 201: contract.PushDevice },
    }),
    async (request, reply) => {
      const user = requireUser(request)
      const { endpoint, keys: browserKeys } = request.body
      deps.requireUrl.push(endpoint)
      requirePoint(browserKeys.p256dh)
      const id = newId()
      const stored: StoredSubscription = { endpoint, keys: browserKeys, push_key: keys.publicKey }
      const device: PushSubscriptionRow = {
        id,
        user_id: user.id,
        endpoint_hash: createHash('sha256').update(endpoint).digest('hex'),
        subscription: sealer.seal(JSON.stringify(stored), pushSubscriptionContext({ id, user_id: user.id })),
        label: describeDevice(request.headers['user-agent']),
        created_at: now(),
        used_at: null,
      }
      await saveDevice(database, user, device)
      onChanged(user.id)
      return reply.status(201).send(presentDevice(device))
    },
  )

  api.delete(
    '/api/notifications/devices/:id',
    route('owner', 'Push no notifications to a browser any more', [], {
      params: AnyId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      const user = requireUser(request)
      if (!(await deleteDevice(db, user, request.params.id))) throw noDevice()
      onChanged(user.id)
      return reply.status(204).send(null)
    },
  )

  api.post(
    '/api/notifications/devices/:id/test',
    route('owner', 'Push a test notification', [], {
      params: AnyId,
      response: { 200: contract.TestResult },
    }),
    async (request) => {
      const user = requireUser(request)
      const device = await findDevice(db, user, request.params.id)
      if (device === undefined) throw noDevice()
      return presentTest(await deliverToDevice(deps, device, testNotice(now()), 0))
    },
  )

  api.put(
    '/api/notifications/webhook',
    route('user', 'Send notifications to a webhook', ['address_refused'], {
      body: contract.WebhookInput,
      response: { 200: contract.NewWebhook },
    }),
    async (request) => {
      const user = requireUser(request)
      const url = deps.requireUrl.webhook(request.body.url).href
      const secret = newWebhookSecret()
      await saveWebhook(db, user, {
        url,
        secret: sealer.seal(JSON.stringify(secret), webhookSecretContext({ user_id: user.id, url })),
        error: null,
        created_at: now(),
      })
      onChanged(user.id)
      return { url, secret }
    },
  )

  api.delete(
    '/api/notifications/webhook',
    route('user', 'Send notifications to no webhook', ['not_found'], { response: { 204: z.null() } }),
    async (request, reply) => {
      const user = requireUser(request)
      if (!(await deleteWebhook(db, user))) throw noWebhook()
      onChanged(user.id)
      return reply.status(204).send(null)
    },
  )

  api.post(
    '/api/notifications/webhook/test',
    route('user', 'Send a test notification to the webhook', ['not_found'], {
      response: { 200: contract.TestResult },
    }),
    async (request) => {
      const user = requireUser(request)
      const webhook = await findWebhook(db, user)
      if (webhook === undefined) throw noWebhook()
      return presentTest(await deliverToWebhook(deps, webhook, { id: newId() }, testNotice(now())))
    },
  )

  api.put(
    '/api/notifications/presence',
    {
      ...route('user', 'Say whether a tab is visible', [], {
        body: contract.PresenceInput,
        response: { 204: z.null() },
      }),
      config: { perMinute: deps.presencePerMinute },
      // Each visible tab sends one every half a minute.
      logLevel: 'warn',
    },
    async (request, reply) => {
      const { tab, visible } = request.body
      await storePresence(database, requireUser(request), tab, visible)
      return reply.status(204).send(null)
    },
  )
}

/** @throws AppError `invalid_request` when the key of a browser is not a point of the curve P-256 */
function requirePoint(key: string): void {
  const bytes = Buffer.from(key, 'base64url')
  const [x = '', y = ''] = [bytes.subarray(1, 33), bytes.subarray(33)].map((part) =>
    part.toString('base64url'),
  )
  try {
    createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
  } catch {
    throw new AppError('invalid_request', 'keys.p256dh: must be a public key of the curve P-256')
  }
}

function testNotice(at: number): Notice {
  return { kind: 'test', chat_id: 'test', bot: 'Yonder', at }
}

function presentTest({ outcome, message }: Delivery): contract.TestResult {
  return { sent: outcome === 'sent', message }
}

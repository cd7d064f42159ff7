import { z } from 'zod'
import { noticeKinds } from './lib/notices.ts'

/** A browser to which notifications are pushed. */
export const PushDevice = z.object({
  id: z.string(),
  /** Such as 'Chrome on Android'. */
  label: z.string(),
  /** ISO 8601, UTC. */
  created_at: z.string(),
  /** When its push service last accepted a notification. */
  used_at: z.string().nullable(),
  /** SHA-256 of the address of its subscription, in hex: a browser finds itself by it. */
  endpoint_hash: z.string(),
})
export type PushDevice = z.infer<typeof PushDevice>

export const Webhook = z.object({
  url: z.string(),
  /** A mask. */
  secret: z.string(),
  /** Why the last notification did not arrive; null when it did. */
  error: z.string().nullable(),
})
export type Webhook = z.infer<typeof Webhook>

/** `GET /api/notifications`. */
export const NotificationSettings = z.object({
  kinds: z.array(z.enum(noticeKinds)),
  /** Whether pushes and webhooks have the title of the chat and the beginning of the text. */
  with_text: z.boolean(),
  devices: z.array(PushDevice),
  webhook: Webhook.nullable(),
  /** The key with which browsers subscribe (VAPID), base64url. */
  push_key: z.string(),
})
export type NotificationSettings = z.infer<typeof NotificationSettings>

/** `PATCH /api/notifications`. */
export const NotificationChange = z.object({
  kinds: z.array(z.enum(noticeKinds)).max(noticeKinds.length).optional(),
  with_text: z.boolean().optional(),
})
export type NotificationChange = z.infer<typeof NotificationChange>

/** `POST /api/notifications/devices`: what the browser's `PushSubscription.toJSON()` returns. The response is the device. */
export const PushSubscriptionInput = z.object({
  endpoint: z.url({ protocol: /^https$/, error: 'must be an address that begins with https://' }).max(2000),
  keys: z.object({
    /** 65 bytes, as base64url. */
    p256dh: z.string().regex(/^B[\w-]{86}={0,2}$/, 'must be a public key of the curve P-256'),
    /** 16 bytes, as base64url. */
    auth: z.string().regex(/^[\w-]{22}={0,2}$/, 'must be 16 bytes as base64url'),
  }),
})
export type PushSubscriptionInput = z.infer<typeof PushSubscriptionInput>

/** `PUT /api/notifications/webhook`. A new secret is made each time; `NewWebhook` is the only response with it. */
export const WebhookInput = z.object({ url: z.url({ protocol: /^https?$/ }).max(2000) })
export type WebhookInput = z.infer<typeof WebhookInput>

export const NewWebhook = z.object({
  url: z.string(),
  /** Of the form of Standard Webhooks: `whsec_` and base64. */
  secret: z.string(),
})
export type NewWebhook = z.infer<typeof NewWebhook>

/** What became of a test notification. */
export const TestResult = z.object({
  sent: z.boolean(),
  /** A sentence. */
  message: z.string(),
})
export type TestResult = z.infer<typeof TestResult>

/** `PUT /api/notifications/presence`: a visible tab sends it every `presenceMs`, and once when it is hidden. */
export const PresenceInput = z.object({ tab: z.string().regex(/^[\w-]{1,64}$/), visible: z.boolean() })
export type PresenceInput = z.infer<typeof PresenceInput>

/** A notification as it is pushed: declarative Web Push, which browsers without a service worker show too. */
export const PushPayload = z.object({
  web_push: z.literal(8030),
  notification: z.object({
    title: z.string(),
    body: z.string(),
    /** The address of the chat. */
    navigate: z.string(),
    /** A later notification with the same tag replaces this one. */
    tag: z.string(),
  }),
})
export type PushPayload = z.infer<typeof PushPayload>

/** The body of a webhook. */
export const WebhookPayload = z.object({
  type: z.enum([...noticeKinds, 'test']),
  /** When it happened. ISO 8601, UTC. */
  timestamp: z.string(),
  data: z.object({
    chat_id: z.string(),
    /** The address of the chat. */
    url: z.string(),
    bot: z.string(),
    /** Only when the user has switched on titles and texts. */
    title: z.string().optional(),
    text: z.string().optional(),
  }),
})
export type WebhookPayload = z.infer<typeof WebhookPayload>

import { createHash } from 'node:crypto'
import { buildPushPayload } from '@block65/webcrypto-web-push'
import { PushSubscriptionInput, type PushPayload } from '@yonder/contract/notification'
import { z } from 'zod'
import { openJson } from '../db/secrets/credential.ts'
import { pushSubscriptionContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { PushSubscriptionRow } from '../db/tables/tables.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { type Delivery, describeFailedAttempt, isTemporary, readRetryAfter, sendRequest } from './delivery.ts'
import type { Notice } from './notice.ts'
import type { PushKeys } from './push-keys.ts'

export interface PushDeps {
  readonly sealer: Sealer
  /** The policy for addresses of push services, which browsers report. */
  readonly guard: Pick<GuardedFetch, 'fetch'>
  readonly keys: PushKeys
  /** The address with which a push service can reach the operator: `mailto:` or `https:`. */
  readonly contact: string
  /** The origin of the addresses of chats. */
  readonly publicUrl: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Seconds after which a notification that could not be delivered is worth nothing. */
export const maxAgeSeconds = 3_600

/** What is stored of a device, sealed: its subscription, and our key that it belongs to. */
const StoredSubscription = PushSubscriptionInput.extend({ push_key: z.string() })
export type StoredSubscription = z.infer<typeof StoredSubscription>

/** Characters of the header `Topic`. */
const maxTopicChars = 32

const service = 'The push service of this browser'

/** Pushes a notice to a device. */
export async function sendPush(
  deps: PushDeps,
  device: PushSubscriptionRow,
  notice: Notice,
  ageSeconds: number,
): Promise<Delivery> {
  const parsed = StoredSubscription.safeParse(
    openJson(deps.sealer, pushSubscriptionContext(device), device.subscription),
  )
  // It was sealed with another SECRET_KEY, so its push service knows another key of ours too.
  if (!parsed.success) return gone
  const { push_key, ...subscription } = parsed.data
  try {
    const request = await buildPushPayload(
      {
        data: toPushPayload(notice, deps.publicUrl),
        options: {
          ttl: Math.max(1, maxAgeSeconds - Math.floor(ageSeconds)),
          urgency: notice.kind === 'call_asks' ? 'high' : 'normal',
          topic: topicOf(notice.chat_id),
        },
      },
      { ...subscription, expirationTime: null },
      { ...deps.keys, subject: deps.contact },
    )
    const { status, headers } = await sendRequest(deps.guard.fetch, subscription.endpoint, {
      ...request,
      method: 'POST',
    })
    if (status >= 200 && status < 300)
      return { outcome: 'sent', message: 'The push service has accepted the notification.' }
    if (status === 404 || status === 410) return gone
    if ((status === 401 || status === 403) && push_key !== deps.keys.publicKey) return gone
    if (isTemporary(status))
      return {
        outcome: 'retry',
        message: `${service} is not available at the moment (${status}).`,
        retryAfterMs: readRetryAfter(headers, deps.now()),
      }
    const advice =
      status === 401 || status === 403
        ? ' The operator of this server can check PUBLIC_URL and PUSH_CONTACT.'
        : ''
    return { outcome: 'refused', message: `${service} refused the notification (${status}).${advice}` }
  } catch (error) {
    return describeFailedAttempt(error, service)
  }
}

const gone: Delivery = {
  outcome: 'gone',
  message: 'This browser does not receive notifications any more. Switch them on again there.',
}

/** One for each chat: a later notification about the chat replaces one that was not delivered yet. */
function topicOf(chatId: string): string {
  return createHash('sha256').update(chatId).digest('base64url').slice(0, maxTopicChars)
}

function toPushPayload(notice: Notice, publicUrl: string): PushPayload {
  const { kind, chat_id, title, text } = notice
  const words = wordsOf(notice)
  return {
    web_push: 8030,
    notification: {
      title: words.title,
      body: title === undefined && text === undefined ? words.body : [title, text].filter(Boolean).join('\n'),
      navigate:
        kind === 'test'
          ? `${publicUrl}/settings/notifications`
          : `${publicUrl}/chat/${encodeURIComponent(chat_id)}`,
      tag: chat_id,
    },
  }
}

function wordsOf({ kind, bot }: Notice): { readonly title: string; readonly body: string } {
  switch (kind) {
    case 'reply_ended':
      return { title: `${bot} has answered.`, body: 'Open the chat to read the reply.' }
    case 'reply_failed':
      return { title: `${bot} could not answer.`, body: 'Open the chat to see why.' }
    case 'call_asks':
      return { title: 'A call needs your approval.', body: `${bot} waits for your decision.` }
    case 'test':
      return { title: 'Yonder', body: 'Notifications arrive in this browser.' }
  }
}

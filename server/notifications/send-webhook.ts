import { createHmac, randomBytes } from 'node:crypto'
import type { WebhookPayload } from '@yonder/contract/notification'
import { openJson } from '../db/secrets/credential.ts'
import { webhookSecretContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { NoticeRow, WebhookRow } from '../db/tables/tables.ts'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { type Delivery, describeFailedAttempt, isTemporary, readRetryAfter, sendRequest } from './delivery.ts'
import type { Notice } from './notice.ts'

export interface WebhookDeps {
  readonly sealer: Sealer
  /** The policy for addresses that users enter. */
  readonly guard: Pick<GuardedFetch, 'fetch'>
  /** The origin of the addresses of chats. */
  readonly publicUrl: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const prefix = 'whsec_'
const secretBytes = 32

/** A new secret in the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64')
}

/** Sends a notice to the webhook of its user, signed as Standard Webhooks says. A repeated one has the same id. */
export async function sendWebhook(
  deps: WebhookDeps,
  webhook: WebhookRow,
  { id }: Pick<NoticeRow, 'id'>,
  notice: Notice,
): Promise<Delivery> {
  const secret = openJson(deps.sealer, webhookSecretContext(webhook), webhook.secret)
  if (typeof secret !== 'string')
    return {
      outcome: 'refused',
      message: 'The secret of the webhook cannot be read any more. Save the webhook again to get a new one.',
    }
  const body = JSON.stringify(toWebhookPayload(notice, deps.publicUrl))
  const timestamp = String(Math.floor(deps.now() / 1_000))
  try {
    const { status, headers } = await sendRequest(deps.guard.fetch, webhook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Yonder',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': sign(secret, `${id}.${timestamp}.${body}`),
      },
      body,
    })
    if (status >= 200 && status < 300)
      return { outcome: 'sent', message: `The webhook has accepted the notification (${status}).` }
    const message = `The webhook responded with the status ${status}.`
    if (isTemporary(status))
      return { outcome: 'retry', message, retryAfterMs: readRetryAfter(headers, deps.now()) }
    return { outcome: 'refused', message }
  } catch (error) {
    return describeFailedAttempt(error, 'The server of the webhook')
  }
}

function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

function toWebhookPayload(
  { kind, at, chat_id, bot, title, text }: Notice,
  publicUrl: string,
): WebhookPayload {
  return {
    type: kind,
    timestamp: new Date(at).toISOString(),
    data: {
      chat_id,
      url: kind === 'test' ? publicUrl : `${publicUrl}/chat/${encodeURIComponent(chat_id)}`,
      bot,
      ...(title !== undefined && { title }),
      ...(text !== undefined && { text }),
    },
  }
}

import type { NotificationSettings, PushDevice } from '@yonder/contract/notification'
import { maskText, openJson } from '../db/secrets/credential.ts'
import { webhookSecretContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { PushSubscriptionRow, WebhookRow } from '../db/tables/tables.ts'
import type { NotificationChoices } from './notice.ts'

export interface NotificationRows {
  readonly choices: NotificationChoices
  readonly devices: readonly PushSubscriptionRow[]
  readonly webhook: WebhookRow | undefined
}

/** Presents the settings of a user for notifications. */
export function presentNotifications(
  { choices, devices, webhook }: NotificationRows,
  sealer: Sealer,
  pushKey: string,
): NotificationSettings {
  return {
    kinds: choices.kinds,
    with_text: choices.with_text,
    devices: devices.map(presentDevice),
    webhook: webhook === undefined ? null : presentWebhook(webhook, sealer),
    push_key: pushKey,
  }
}

export function presentDevice({
  id,
  label,
  created_at,
  used_at,
  endpoint_hash,
}: PushSubscriptionRow): PushDevice {
  return {
    id,
    label,
    created_at: new Date(created_at).toISOString(),
    used_at: used_at === null ? null : new Date(used_at).toISOString(),
    endpoint_hash,
  }
}

function presentWebhook(row: WebhookRow, sealer: Sealer): NotificationSettings['webhook'] {
  const secret = openJson(sealer, webhookSecretContext(row), row.secret)
  return { url: row.url, secret: maskText(typeof secret === 'string' ? secret : ''), error: row.error }
}

import { ownerOf } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import { repeatUntilStopped } from '../lib/repeat-until-stopped.ts'
import type { Delivery } from './delivery.ts'
import { Notice, webhookTarget } from './notice.ts'
import {
  claimNotices,
  type ClaimedNotice,
  delayNotice,
  deleteDevice,
  endNotice,
  findDevice,
  findWebhook,
  markDeviceUsed,
  storeWebhookError,
  sweep,
} from './notification-store.ts'
import { maxAgeSeconds, type PushDeps, sendPush } from './send-push.ts'
import { sendWebhook, type WebhookDeps } from './send-webhook.ts'

/** Between two looks for notices that are due again, or that a dead node has left. */
const searchMs = 5_000
/** Another node sends a notice again when this one has not ended it after this time. Longer than a request may take. */
const leaseMs = 30_000
/** Notices that a node sends at once. */
const maxAtOnce = 20
/** Between the attempts. There is one more than there are pauses. */
const pausesMs = [10_000, 30_000, 120_000, 600_000, 1_500_000]
/** A run that was told of is not told of again, also by a node that was asleep for this time. */
const keptMs = 6 * maxAgeSeconds * 1_000
const sweepMs = 60_000

export interface SenderDeps {
  readonly database: Database
  readonly push: PushDeps
  readonly webhook: WebhookDeps
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called when a device was removed, or a webhook fails or works again. */
  readonly onChanged: (userId: string) => void
  /** Called with errors that no user can act on. */
  readonly onError: (error: unknown) => void
}

/** Sends the notices that are due, of this node and of those that died. */
export function openSender(deps: SenderDeps) {
  const { database, onError } = deps
  const closing = new AbortController()
  const sending = new Set<Promise<void>>()
  let looking = Promise.resolve()
  let willLook = false

  async function sendDue(): Promise<void> {
    willLook = false
    while (!closing.signal.aborted && sending.size < maxAtOnce) {
      const notices = await claimNotices(database, { limit: maxAtOnce - sending.size, leaseMs })
      if (notices.length === 0) return
      for (const notice of notices) start(notice)
    }
  }

  /** Does not wait for the response: a server that does not respond must not hold up what goes to others. */
  function start(notice: ClaimedNotice): void {
    const sent = sendNotice(deps, notice)
      .catch(onError)
      .finally(() => {
        const wasFull = sending.size === maxAtOnce
        sending.delete(sent)
        if (wasFull) void look()
      })
    sending.add(sent)
  }

  /** Begins to send what is due. */
  function look(): Promise<void> {
    if (!willLook) looking = looking.then(sendDue).catch(onError)
    willLook = true
    return looking
  }

  const stopLooking = repeatUntilStopped(look, searchMs, onError)
  const stopSweeping = repeatUntilStopped(() => sweep(database, keptMs), sweepMs, onError)
  return {
    look,
    /** What is not sent yet is sent by another node, or after the next start. */
    async close(): Promise<void> {
      closing.abort()
      await Promise.all([stopLooking(), stopSweeping(), looking])
      await Promise.all(sending)
    },
  }
}

async function sendNotice(deps: SenderDeps, claimed: ClaimedNotice): Promise<void> {
  const { database } = deps
  const delivery = await deliver(deps, claimed)
  const pause = pauseAfter(delivery, claimed)
  if (pause === undefined) await endNotice(database, claimed)
  else await delayNotice(database, claimed, pause)
}

async function deliver(deps: SenderDeps, claimed: ClaimedNotice): Promise<Delivery | undefined> {
  if (claimed.age > maxAgeSeconds * 1_000) return undefined
  const { db } = deps.database
  const user = ownerOf(claimed)
  const notice = Notice.parse(JSON.parse(claimed.payload))
  if (claimed.target === webhookTarget) {
    const webhook = await findWebhook(db, user)
    return webhook && deliverToWebhook(deps, webhook, claimed, notice)
  }
  const device = await findDevice(db, user, claimed.target)
  return device && deliverToDevice(deps, device, notice, claimed.age / 1_000)
}

/** Sends a notice to a webhook, and stores why it did not arrive. */
export async function deliverToWebhook(
  { database: { db }, webhook: webhookDeps, onChanged }: SenderDeps,
  webhook: Parameters<typeof sendWebhook>[1],
  row: Parameters<typeof sendWebhook>[2],
  notice: Notice,
): Promise<Delivery> {
  const delivery = await sendWebhook(webhookDeps, webhook, row, notice)
  const error = delivery.outcome === 'sent' ? null : delivery.message
  if (await storeWebhookError(db, webhook, error)) onChanged(webhook.user_id)
  return delivery
}

/** Pushes a notice to a device, and removes the device when its push service does not know it any more. */
export async function deliverToDevice(
  { database: { db }, push, now, onChanged }: SenderDeps,
  device: Parameters<typeof sendPush>[1],
  notice: Notice,
  ageSeconds: number,
): Promise<Delivery> {
  const user = ownerOf(device)
  const delivery = await sendPush(push, device, notice, ageSeconds)
  if (delivery.outcome === 'sent') await markDeviceUsed(db, user, device.id, now())
  else if (delivery.outcome === 'gone' && (await deleteDevice(db, user, device.id))) onChanged(user.id)
  return delivery
}

/** Milliseconds until the next attempt; undefined when there is none. */
function pauseAfter(delivery: Delivery | undefined, { attempts, age }: ClaimedNotice): number | undefined {
  if (delivery?.outcome !== 'retry') return undefined
  const pause = pausesMs[attempts - 1]
  if (pause === undefined) return undefined
  const longer = Math.max(pause, delivery.retryAfterMs ?? 0)
  return age + longer > maxAgeSeconds * 1_000 ? undefined : longer
}

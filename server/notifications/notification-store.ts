import type { NotificationChange } from '@yonder/contract/notification'
import { sql, type Expression, type SqlBool } from 'kysely'
import { type Actor, changeable, ofUser, ownedBy, readable } from '../access/access.ts'
import type { Database, Db, Dialect } from '../db/database.ts'
import type { NoticeRow, PushSubscriptionRow, RunRow, WebhookRow } from '../db/tables/tables.ts'
import { lockUser } from '../identity/users/user-store.ts'
import { AppError } from '../lib/app-error.ts'
import { type Notice, type NotificationChoices, readChoices, webhookTarget } from './notice.ts'

type Clocked = { readonly db: Db; readonly dialect: Pick<Dialect, 'clock'> }

export const maxDevices = 20

/** Milliseconds for which a tab counts as visible after it said so; it says so again before (`presenceMs`). */
const visibleMs = 45_000

export async function findChoices(db: Db, actor: Actor): Promise<NotificationChoices> {
  const row = await db
    .selectFrom('notification_settings')
    .select('settings')
    .where(readable(actor, 'notification_settings'))
    .executeTakeFirst()
  return readChoices(row?.settings)
}

/** Changes what a user has chosen. Of two changes at once, the later one keeps what the other has changed. */
export async function changeChoices(
  db: Db,
  actor: Actor,
  { kinds, with_text }: NotificationChange,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockUser(trx, actor)
    const before = await findChoices(trx, actor)
    const settings = JSON.stringify({
      kinds: kinds ?? before.kinds,
      with_text: with_text ?? before.with_text,
    } satisfies NotificationChoices)
    await trx
      .insertInto('notification_settings')
      .values({ ...ownedBy(actor), settings })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ settings }))
      .execute()
  })
}

export function listDevices(db: Db, actor: Actor): Promise<PushSubscriptionRow[]> {
  return db
    .selectFrom('push_subscriptions')
    .selectAll()
    .where(readable(actor, 'push_subscriptions'))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function findDevice(db: Db, actor: Actor, id: string): Promise<PushSubscriptionRow | undefined> {
  return db
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('id', '=', id)
    .where(readable(actor, 'push_subscriptions'))
    .executeTakeFirst()
}

/**
 * Stores a device, in place of the one with the same address.
 * @throws AppError `conflict` when the user has `maxDevices`
 */
export async function saveDevice(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  actor: Actor,
  device: Omit<PushSubscriptionRow, 'user_id' | 'used_at'>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Two devices at once must not both be the last one.
    await sql`select id from users where id = ${actor.id} ${dialect.lockRows}`.execute(trx)
    await trx
      .deleteFrom('push_subscriptions')
      .where('endpoint_hash', '=', device.endpoint_hash)
      .where(changeable(actor, 'push_subscriptions'))
      .execute()
    if ((await listDevices(trx, actor)).length >= maxDevices)
      throw new AppError(
        'conflict',
        `Notifications go to at most ${maxDevices} browsers. Remove one of them first.`,
      )
    await trx
      .insertInto('push_subscriptions')
      .values({ ...device, ...ownedBy(actor), used_at: null })
      .execute()
  })
}

/** Returns false when there is no such device. */
export async function deleteDevice(db: Db, actor: Actor, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('push_subscriptions')
    .where('id', '=', id)
    .where(changeable(actor, 'push_subscriptions'))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function markDeviceUsed(db: Db, actor: Actor, id: string, now: number): Promise<void> {
  await db
    .updateTable('push_subscriptions')
    .set({ used_at: now })
    .where('id', '=', id)
    .where(changeable(actor, 'push_subscriptions'))
    .execute()
}

export function findWebhook(db: Db, actor: Actor): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().where(readable(actor, 'webhooks')).executeTakeFirst()
}

/** Replaces the webhook of the user. What was on its way to the former address is not sent. */
export async function saveWebhook(db: Db, actor: Actor, webhook: Omit<WebhookRow, 'user_id'>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await deleteWebhook(trx, actor)
    await trx
      .insertInto('webhooks')
      .values({ ...webhook, ...ownedBy(actor) })
      // Two requests at once: the later one stays.
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(webhook))
      .execute()
  })
}

/** Returns false when there is none. */
export async function deleteWebhook(db: Db, actor: Actor): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where(changeable(actor, 'webhooks'))
    .executeTakeFirst()
  await db
    .deleteFrom('notices')
    .where('target', '=', webhookTarget)
    .where('ended_at', 'is', null)
    .where(changeable(actor, 'notices'))
    .execute()
  return numDeletedRows > 0n
}

/** Stores why the last notification did not reach this address, or null. Returns false when nothing has changed. */
export async function storeWebhookError(
  db: Db,
  { user_id, url }: Pick<WebhookRow, 'user_id' | 'url'>,
  error: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .set({ error })
    .where('url', '=', url)
    .where(sql<SqlBool>`coalesce(error, '') <> ${error ?? ''}`)
    .where(ofUser(user_id, 'webhooks'))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Stores that a tab is visible now, or no more. */
export async function storePresence(
  { db, dialect: { clock } }: Clocked,
  actor: Actor,
  tab: string,
  isVisible: boolean,
): Promise<void> {
  if (!isVisible) {
    await db
      .deleteFrom('visible_tabs')
      .where('tab', '=', tab)
      .where(changeable(actor, 'visible_tabs'))
      .execute()
    return
  }
  const visible_until = sql<number>`${clock} + ${sql.lit(visibleMs)}`
  await db
    .insertInto('visible_tabs')
    .values({ ...ownedBy(actor), tab, visible_until })
    .onConflict((conflict) => conflict.columns(['user_id', 'tab']).doUpdateSet({ visible_until }))
    .execute()
}

export type EndedRunRow = Pick<RunRow, 'status' | 'started_at' | 'ended_at'>

export function findEndedRun(db: Db, runId: number): Promise<EndedRunRow | undefined> {
  return db
    .selectFrom('runs')
    .select(['status', 'started_at', 'ended_at'])
    .where('id', '=', runId)
    .where('ended_at', 'is not', null)
    .executeTakeFirst()
}

/** The title of a chat of the user that is not deleted; null when it has none yet. */
export async function findChatTitle(
  db: Db,
  actor: Actor,
  chatId: string,
): Promise<{ readonly title: string | null } | undefined> {
  return db
    .selectFrom('chats')
    .select('title')
    .where('id', '=', chatId)
    .where(readable(actor, 'chats'))
    .executeTakeFirst()
}

/**
 * Where a user is told something now: nowhere while a tab of the user is visible, and while the user is disabled.
 */
export async function listTargets(
  { db, dialect: { clock } }: Clocked,
  actor: Actor,
): Promise<readonly string[]> {
  const isVisible = sql<SqlBool>`exists (select 1 from visible_tabs
    where ${readable(actor, 'visible_tabs')} and visible_until > ${clock})`
  const isDisabled = sql<SqlBool>`exists (select 1 from users where id = ${actor.id} and disabled_at is not null)`
  const rows = await db
    .selectFrom('push_subscriptions')
    .select('id')
    .where(readable(actor, 'push_subscriptions'))
    .unionAll(
      db.selectFrom('webhooks').select(sql.lit(webhookTarget).as('id')).where(readable(actor, 'webhooks')),
    )
    .execute()
  if (rows.length === 0) return []
  const quiet = await sql<{ quiet: number | boolean }>`select ${isVisible} or ${isDisabled} as quiet`.execute(
    db,
  )
  return quiet.rows[0]?.quiet ? [] : rows.map(({ id }) => id)
}

/** Stores a notice for each target, except where the same one is or was on its way. */
export async function insertNotices(
  { db, dialect: { clock } }: Clocked,
  actor: Actor,
  subject: string,
  notice: Notice,
  targets: readonly string[],
): Promise<void> {
  await db
    .insertInto('notices')
    .values(
      targets.map((target) => ({
        id: `${subject}:${target}`,
        ...ownedBy(actor),
        target,
        payload: JSON.stringify(notice),
        due_at: sql<number>`${clock}`,
        created_at: sql<number>`${clock}`,
        attempts: 0,
        ended_at: null,
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** A notice that this node sends now. */
export interface ClaimedNotice extends NoticeRow {
  /** Milliseconds since it was created, by the database's clock. */
  readonly age: number
}

/**
 * Claims up to `limit` notices that are due, for `leaseMs`: after that time, another node sends what this one did not.
 * Two nodes never get the same one. Those of disabled users stay until they are swept.
 */
export async function claimNotices(
  { db, dialect: { clock } }: Clocked,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly ClaimedNotice[]> {
  const { rows } = await sql<ClaimedNotice>`
    update notices set due_at = ${clock} + ${sql.lit(leaseMs)}, attempts = attempts + 1
    where id in (select notices.id from notices join users on users.id = notices.user_id
        where ended_at is null and due_at <= ${clock} and users.disabled_at is null
        order by due_at, notices.id limit ${sql.lit(limit)})
      and ended_at is null and due_at <= ${clock}
    returning *, ${clock} - created_at as age`.execute(db)
  return rows
}

/** Ends a notice that this node has claimed. */
export async function endNotice(
  { db, dialect: { clock } }: Clocked,
  { id, attempts }: Pick<NoticeRow, 'id' | 'attempts'>,
): Promise<void> {
  await db
    .updateTable('notices')
    .set({ ended_at: sql<number>`${clock}` })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

/** Sends a notice that this node has claimed again after this time. */
export async function delayNotice(
  { db, dialect: { clock } }: Clocked,
  { id, attempts }: Pick<NoticeRow, 'id' | 'attempts'>,
  delayMs: number,
): Promise<void> {
  await db
    .updateTable('notices')
    .set({ due_at: sql<number>`${clock} + ${sql.lit(Math.round(delayMs))}` })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

/** Deletes the notices that are older than this, and the tabs that are not visible any more. */
export async function sweep({ db, dialect: { clock } }: Clocked, keptMs: number): Promise<void> {
  const isOlder = (column: Expression<number>) => sql<SqlBool>`${column} < ${clock} - ${sql.lit(keptMs)}`
  await db
    .deleteFrom('notices')
    .where(({ ref }) => isOlder(ref('created_at')))
    .execute()
  await db.deleteFrom('visible_tabs').where('visible_until', '<', clock).execute()
}

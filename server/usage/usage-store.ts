import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { type Actor, readable } from '../access/access.ts'
import type { Db } from '../db/database.ts'
import { prepareQuery } from '../db/dialects/prepare-query.ts'
import type { UsageRecordRow } from '../db/tables/tables.ts'

const recordUpsert = prepareQuery((db, record: UsageRecordRow) => {
  const { id, user_id, chat_id, message_id, kind, bot_id, bot, time, ...figures } = record
  return db
    .insertInto('usage_records')
    .values({ id, user_id, chat_id, message_id, kind, bot_id, bot, time, ...figures })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(figures))
    .compile()
})

/**
 * Stores a record. If there is one with this id already, its figures are replaced, because a provider may report them
 * several times.
 */
export async function storeUsageRecord(db: Db, record: UsageRecordRow): Promise<void> {
  await recordUpsert(db, record)
}

/** Selects records `u`, with today's name of the bot, or the stored one of a deleted bot. */
export function selectUsage(db: Db) {
  return db
    .selectFrom('usage_records as u')
    .leftJoin('bots as b', 'b.id', 'u.bot_id')
    .select(['u.id', 'u.user_id', 'u.chat_id', 'u.message_id', 'u.kind', 'u.bot_id'])
    .select(({ fn }) => fn.coalesce('b.name', 'u.bot').as('bot'))
    .select(['u.model', 'u.provider', 'u.time', 'u.input_tokens', 'u.output_tokens', 'u.cached_tokens'])
    .select(['u.cache_write_tokens', 'u.reasoning_tokens', 'u.cost', 'u.currency', 'u.duration_ms'])
    .select('u.first_text_ms')
}

/** The records of these messages of a chat that the actor may read, oldest first. */
export function listUsageOfMessages(
  db: Db,
  actor: Actor,
  chatId: string,
  messageIds: readonly string[],
): Promise<UsageRecordRow[]> {
  return selectUsage(db)
    .innerJoin('chats', 'chats.id', 'u.chat_id')
    .where(readable(actor, 'chats'))
    .where(readable(actor, 'usage_records as u'))
    .where('u.chat_id', '=', chatId)
    .where('u.message_id', 'in', messageIds)
    .orderBy('u.time')
    .orderBy('u.id')
    .execute()
}

/** A day as a range of milliseconds since 1970: `start` is in it, `end` is not. */
export interface UsageDay {
  readonly day: string
  readonly start: number
  readonly end: number
}

/** Sums of a day, bot, model and currency. */
export interface UsageSums extends Sums {
  readonly day: string
  readonly bot: string
}

/** Sums of a user, model and currency. */
export interface UserUsageSums extends Sums {
  /** The subject at the provider of the sign-in, by which the operator knows users. */
  readonly user_id: string
  readonly email: string | null
}

/** The cost is in two parts: a sum of billionths could exceed 64 bits. */
export interface Sums {
  readonly model: string
  readonly currency: string | null
  readonly calls: number
  /** Counts that no call reported are null. */
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly cached_tokens: number | null
  readonly reasoning_tokens: number | null
  readonly uncounted_calls: number
  readonly unpriced_calls: number
  /** Whole units of the currency. */
  readonly cost_units: number
  /** The rest, in billionths of a unit. */
  readonly cost_nanos: number
}

const nanosOfUnit = 1_000_000_000

/** The columns of sums of records `u`. */
function sums(): RawBuilder<unknown> {
  // PostgreSQL adds up to another type, which its driver reads as text.
  const sum = (summand: RawBuilder<unknown>) => sql`cast(sum(${summand}) as bigint)`
  const count = (condition: RawBuilder<unknown>) => sum(sql`case when ${condition} then 1 else 0 end`)
  return sql`
    count(*) as calls,
    ${sum(sql`u.input_tokens`)} as input_tokens,
    ${sum(sql`u.output_tokens`)} as output_tokens,
    ${sum(sql`u.cached_tokens`)} as cached_tokens,
    ${sum(sql`u.reasoning_tokens`)} as reasoning_tokens,
    ${count(sql`u.input_tokens is null or u.output_tokens is null`)} as uncounted_calls,
    ${count(sql`u.cost is null`)} as unpriced_calls,
    coalesce(${sum(sql`u.cost / ${sql.lit(nanosOfUnit)}`)}, 0) as cost_units,
    coalesce(${sum(sql`u.cost % ${sql.lit(nanosOfUnit)}`)}, 0) as cost_nanos`
}

/** Days that one query sums up: a day may have thousands of records. */
const maxQueryDays = 10

/** Sums the user's records by day, bot, model and currency, in pages of some days. */
export async function* readUsage(
  db: Db,
  actor: Actor,
  days: readonly UsageDay[],
): AsyncGenerator<UsageSums[]> {
  for (let from = 0; from < days.length; from += maxQueryDays) {
    if (from > 0) await nextTurn()
    yield await sumDays(db, actor, days.slice(from, from + maxQueryDays))
  }
}

/** The index on user and time finds the records of the days. */
async function sumDays(db: Db, actor: Actor, days: readonly UsageDay[]): Promise<UsageSums[]> {
  const ranges = sql.join(
    days.map(({ start, end }) => sql`(cast(${start} as bigint), cast(${end} as bigint))`),
  )
  const { rows } = await sql<Omit<UsageSums, 'day'> & { readonly starts_at: number }>`
    with ranges (starts_at, ends_at) as (values ${ranges})
    select starts_at, coalesce(b.name, u.bot) as bot, u.model, u.currency,
      ${sums()}
    from ranges
    join usage_records u on ${readable(actor, 'usage_records as u')} and time >= starts_at and time < ends_at
    left join bots b on b.id = u.bot_id
    group by starts_at, coalesce(b.name, u.bot), u.model, currency
    order by starts_at, coalesce(b.name, u.bot), u.model, currency
  `.execute(db)
  const nameOfDay = new Map(days.map(({ day, start }) => [start, day]))
  return rows.map(({ starts_at, ...sums }) => ({ day: nameOfDay.get(starts_at) ?? '', ...sums }))
}

/** Sums the records of all users in a time, by user, model and currency, for the operator. */
export async function sumUsageOfUsers(
  db: Db,
  { start, end }: Pick<UsageDay, 'start' | 'end'>,
): Promise<UserUsageSums[]> {
  const { rows } = await sql<UserUsageSums>`
    select users.subject as user_id, users.email, u.model, u.currency, ${sums()}
    from usage_records u join users on users.id = u.user_id
    where u.time >= ${start} and u.time < ${end}
    group by users.id, users.subject, users.email, u.model, u.currency
    order by coalesce(users.email, users.subject), users.id, u.model, u.currency
  `.execute(db)
  return rows
}

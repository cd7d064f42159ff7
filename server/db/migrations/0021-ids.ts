import { sql, type Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

/** Refers to bots and connectors by their ids, so that renaming one changes nothing else. */
export async function addIds(trx: Kysely<Tables>): Promise<void> {
  const { schema } = trx
  await schema.alterTable('messages').addColumn('bot_id', 'text').execute()
  await schema.alterTable('messages').addColumn('connector_id', 'text').execute()
  for (const table of ['compactions', 'usage_records'])
    await schema
      .alterTable(table)
      .addColumn('bot_id', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  const ofChat = (named: 'bots' | 'connectors', table: string, name: string) => sql`(
    select n.id from ${sql.table(named)} n join chats c on c.user_id = n.user_id
    where c.id = ${sql.ref(`${table}.chat_id`)} and n.name = ${sql.ref(`${table}.${name}`)})`
  await sql`update messages set bot_id = ${ofChat('bots', 'messages', 'bot')} where bot is not null`.execute(
    trx,
  )
  await sql`update messages set connector_id = ${ofChat('connectors', 'messages', 'server')}
    where server is not null`.execute(trx)
  await sql`update compactions set bot_id = coalesce(${ofChat('bots', 'compactions', 'bot')}, '')`.execute(
    trx,
  )
  await sql`update usage_records set bot_id = coalesce((select b.id from bots b
    where b.user_id = usage_records.user_id and b.name = usage_records.bot), '')`.execute(trx)
  await replaceNames(trx)
}

async function replaceNames(trx: Kysely<Tables>): Promise<void> {
  const connectors = await trx.selectFrom('connectors').select(['id', 'user_id', 'name']).execute()
  const ids = new Map(connectors.map(({ id, user_id, name }) => [`${user_id} ${name}`, id]))
  for (const bot of await trx.selectFrom('bots').selectAll().where('connectors', 'is not', null).execute()) {
    const names = JSON.parse(bot.connectors ?? '[]') as string[]
    const connected = JSON.stringify(names.flatMap((name) => ids.get(`${bot.user_id} ${name}`) ?? []))
    await trx.updateTable('bots').set({ connectors: connected }).where('id', '=', bot.id).execute()
  }
  const leftOut = await trx
    .selectFrom('messages as m')
    .innerJoin('chats as c', 'c.id', 'm.chat_id')
    .select(['m.position', 'm.left_out_tools', 'c.user_id'])
    .where('m.left_out_tools', 'is not', null)
    .execute()
  for (const { position, left_out_tools, user_id } of leftOut) {
    const tools = JSON.parse(left_out_tools ?? '') as { connectors: { server: string }[] }
    const named = tools.connectors.map((one) => ({
      connector_id: ids.get(`${user_id} ${one.server}`) ?? '',
      ...one,
    }))
    await trx
      .updateTable('messages')
      .set({ left_out_tools: JSON.stringify({ ...tools, connectors: named }) })
      .where('position', '=', position)
      .execute()
  }
}

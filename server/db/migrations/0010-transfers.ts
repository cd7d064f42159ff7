import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Exports and imports, and from where a chat was imported. */
export async function addTransfers(
  trx: Kysely<Tables>,
  { integer }: Pick<Dialect, 'integer'>,
): Promise<void> {
  for (const statement of statements(integer)) await sql.raw(statement).execute(trx)
}

const statements = (integer: string): readonly string[] => [
  `create table transfers (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    kind text not null,
    state text not null,
    files text not null,
    options text,
    report text,
    error text,
    done ${integer} not null default 0,
    total ${integer},
    created_at ${integer} not null,
    ended_at ${integer},
    lease_until ${integer} not null default 0,
    constraint transfers_key unique (user_id, kind))`,
  `create index transfers_by_lease on transfers (lease_until) where state in ('running', 'reading')`,
  `alter table chats add column source text`,
  `alter table chats add column source_id text`,
  `alter table chats add column bot_id text`,
  `create unique index chats_by_source on chats (user_id, source, source_id) where source is not null`,
]

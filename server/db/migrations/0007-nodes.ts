import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * The servers that use a PostgreSQL database, and the changes that they tell each other behind a pooler without
 * `LISTEN`. SQLite has one server, which `lockDataFolder` guards.
 */
export async function addNodes(
  trx: Kysely<Tables>,
  { kind, integer, incrementingKey }: Dialect,
): Promise<void> {
  if (kind === 'sqlite') return
  await sql
    .raw(
      `create table nodes (id text primary key, lease_until ${integer} not null, draining integer not null)`,
    )
    .execute(trx)
  await sql
    .raw(
      `create table changes (id ${incrementingKey}, topic text not null, node_id text not null, user_id text not null,
        subject text not null, created_at ${integer} not null)`,
    )
    .execute(trx)
}

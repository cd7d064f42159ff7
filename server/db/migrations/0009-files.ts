import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * Files belong to a user, messages refer to them, and their bytes are not in a text. The table of the former files stays,
 * because nodes of the version before still write to it (`moveFormerFiles`).
 */
export async function storeFilesOfUsers(
  trx: Kysely<Tables>,
  { kind, integer }: Pick<Dialect, 'kind' | 'integer'>,
): Promise<void> {
  for (const statement of fileStatements(integer, kind === 'postgres' ? 'bytea' : 'blob'))
    await sql.raw(statement).execute(trx)
  // The pieces are pictures and compressed documents.
  if (kind === 'postgres')
    await sql`alter table file_pieces alter column data set storage external`.execute(trx)
}

const fileStatements = (integer: string, blob: string): readonly string[] => [
  `create table user_files (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    hash text,
    name text not null,
    type text not null,
    size ${integer} not null,
    width ${integer},
    height ${integer},
    unit text,
    total ${integer},
    problem text,
    unsent_since ${integer},
    constraint user_files_hash unique (user_id, hash))`,
  `create index user_files_unsent on user_files (unsent_since) where unsent_since is not null`,
  `create table message_files (
    file_id text not null references user_files (id) on delete cascade,
    chat_id text not null,
    message_id text not null,
    constraint message_files_key primary key (file_id, chat_id, message_id),
    constraint message_files_message foreign key (chat_id, message_id)
      references messages (chat_id, id) on delete cascade)`,
  `create index message_files_by_message on message_files (chat_id, message_id)`,
  `create table file_texts (
    file_id text not null references user_files (id) on delete cascade,
    number ${integer} not null,
    content text not null,
    tokens ${integer} not null,
    units ${integer} not null,
    constraint file_texts_key primary key (file_id, number))`,
  `create table file_pieces (
    file_id text not null,
    number ${integer} not null,
    data ${blob} not null,
    constraint file_pieces_key primary key (file_id, number))`,
  `create table unused_bytes (file_id text primary key, since ${integer} not null)`,
  `create index unused_bytes_by_age on unused_bytes (since)`,
  `alter table messages add column file_names text`,
  `alter table bots add column images text`,
  `alter table bots add column pdf text`,
  `create table drafts (
    user_id text not null references users (id) on delete cascade,
    key text not null,
    content text not null,
    constraint drafts_key primary key (user_id, key))`,
  `alter table connectors add column pictures ${integer} not null default 1`,
  `alter table shares add column files ${integer} not null default 0`,
]

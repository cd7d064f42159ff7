import { sql } from 'kysely'

/** The columns of `messages` that both engines declare in the same way. Only `position` differs. */
export const messageColumns = sql.raw(`
  chat_id text not null references chats (id) on delete cascade,
  id text not null,
  parent_id text,
  role text not null,
  content text not null,
  reasoning text,
  status text not null,
  error_code text,
  error_message text,
  model text,
  provider text,
  bot text,
  usage text,
  finish text,
  first_id text not null,
  second_id text,
  server text,
  tool text,
  arguments text,
  unix_timestamp bigint not null,
  unique (chat_id, id)`)

import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Grants with limits, who decided about a call, queues of messages, and notifications. */
export async function addApprovals(
  trx: Kysely<Tables>,
  { integer }: Pick<Dialect, 'integer'>,
): Promise<void> {
  for (const statement of statements(integer)) await sql.raw(statement).execute(trx)
}

const statements = (integer: string): readonly string[] => [
  `create table tool_grants (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    connector_id text not null references connectors (id) on delete cascade,
    name text not null,
    fingerprint text not null,
    definition text not null,
    bot_id text,
    chat_id text references chats (id) on delete cascade,
    ends_at ${integer},
    rule text,
    created_at ${integer} not null,
    used_at ${integer},
    uses ${integer} not null default 0)`,
  `create index tool_grants_by_tool on tool_grants (connector_id, name)`,
  `create index tool_grants_by_chat on tool_grants (chat_id) where chat_id is not null`,
  `alter table tool_permissions add column created_at ${integer} not null default 0`,
  `alter table tool_permissions add column used_at ${integer}`,
  `alter table tool_permissions add column uses ${integer} not null default 0`,
  `alter table connectors add column tools_read_at ${integer} not null default 0`,
  `alter table tool_calls add column message_id text`,
  `alter table tool_calls add column decided_at ${integer}`,
  `alter table tool_calls add column decided_on text`,
  `alter table tool_calls add column grant_id text`,
  `alter table tool_calls add column edited ${integer} not null default 0`,
  `create index tool_calls_decided on tool_calls (user_id, decided_at, id) where decided_at is not null`,
  `create index messages_waiting_since on messages (unix_timestamp) where call_state = 'waiting'`,
  `create table queued_messages (
    chat_id text not null references chats (id) on delete cascade,
    id text not null,
    user_id text not null references users (id) on delete cascade,
    branch_id text not null,
    position ${integer} not null,
    content text not null,
    bot_id text not null,
    time_zone text,
    steers ${integer} not null default 0,
    problem text,
    run_id ${integer},
    created_at ${integer} not null,
    constraint queued_messages_key primary key (chat_id, id))`,
  `create index queued_messages_by_user on queued_messages (user_id)`,
  `create table push_subscriptions (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    endpoint_hash text not null,
    subscription text not null,
    label text not null,
    created_at ${integer} not null,
    used_at ${integer},
    constraint push_subscriptions_endpoint unique (user_id, endpoint_hash))`,
  `create table webhooks (
    user_id text primary key references users (id) on delete cascade,
    url text not null,
    secret text not null,
    error text,
    created_at ${integer} not null)`,
  `create table notification_settings (
    user_id text primary key references users (id) on delete cascade,
    settings text not null)`,
  `create table notices (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    target text not null,
    payload text not null,
    attempts ${integer} not null default 0,
    due_at ${integer} not null,
    created_at ${integer} not null,
    ended_at ${integer})`,
  `create index notices_due on notices (due_at) where ended_at is null`,
  `create table visible_tabs (
    user_id text not null references users (id) on delete cascade,
    tab text not null,
    visible_until ${integer} not null,
    constraint visible_tabs_key primary key (user_id, tab))`,
]

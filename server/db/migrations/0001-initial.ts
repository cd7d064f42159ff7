import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../database.ts'
import type { Tables } from '../tables/tables.ts'

/** Every table of the first release. */
export async function createTables(trx: Kysely<Tables>, dialect: Dialect): Promise<void> {
  for (const statement of [...listStatements(dialect), ...dialect.searchIndexSchema])
    await sql.raw(statement).execute(trx)
  // The built-in provider's identity, which the users with an account here belong to, whatever the address is.
  await sql`insert into installation (issuer) values (${`urn:uuid:${randomUUID()}`})`.execute(trx)
}

const listStatements = ({ integer, incrementingKey }: Dialect): readonly string[] => [
  `create table installation (issuer text primary key)`,

  `create table users (
    id text primary key,
    issuer text not null,
    subject text not null,
    name text,
    email text,
    picture text,
    created_at ${integer} not null,
    disabled_at ${integer},
    pending text,
    constraint users_identity unique (issuer, subject))`,

  // The built-in identity provider: its sealed keys, accounts, protocol records and sign-ins.
  `create table keys (
    name text primary key,
    value text not null,
    created_at ${integer} not null)`,
  `create table accounts (
    id text primary key,
    email text,
    name text,
    picture text,
    password_hash text,
    created_at ${integer} not null,
    disabled_at ${integer})`,
  // An account that signs in with Google may have the email of a local account. They are two accounts.
  `create unique index accounts_email on accounts (email) where password_hash is not null`,
  `create table oidc (
    model text not null,
    id text not null,
    payload text not null,
    grant_id text,
    uid text,
    expires_at ${integer},
    consumed_at ${integer},
    account_id text,
    sign_in_id text,
    constraint oidc_key primary key (model, id))`,
  `create index oidc_by_grant on oidc (grant_id)`,
  `create index oidc_by_uid on oidc (model, uid)`,
  `create index oidc_by_account on oidc (account_id)`,
  `create index oidc_by_expiry on oidc (expires_at)`,
  `create table ended_grants (
    grant_id text primary key,
    expires_at ${integer} not null)`,
  `create table sign_ins (
    grant_id text primary key,
    account_id text not null,
    browser text,
    created_at ${integer} not null,
    used_at ${integer} not null)`,
  `create index sign_ins_by_account on sign_ins (account_id)`,

  `create table bots (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    name text not null,
    model text not null,
    base_url text,
    api_key text,
    api_type text,
    custom_api_path text,
    max_tokens ${integer},
    instructions text,
    temperature double precision,
    top_p double precision,
    reasoning_effort text,
    context_window ${integer},
    connectors text,
    created_at ${integer} not null,
    constraint bots_name unique (user_id, name))`,

  // The append-only tree of messages, and their files.
  `create table chats (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    selected_message_id text,
    created_at ${integer} not null,
    updated_at ${integer} not null,
    chars ${integer} default 0 not null)`,
  `create index chats_by_time on chats (user_id, updated_at)`,
  `create table messages (
    position ${incrementingKey},
    chat_id text not null references chats (id) on delete cascade,
    id text not null,
    parent_id text,
    role text not null,
    content text not null,
    files text,
    reasoning text,
    status text not null,
    error_code text,
    error_message text,
    model text,
    provider text,
    bot_id text,
    bot text,
    usage text,
    finish text,
    first_id text not null,
    second_id text,
    connector_id text,
    server text,
    tool text,
    arguments text,
    call_state text,
    call text,
    outcome text,
    notice text,
    left_out_tools text,
    unix_timestamp bigint not null,
    selected_at bigint,
    unique (chat_id, id))`,
  `create index messages_by_parent on messages (chat_id, parent_id)`,
  `create index messages_by_time on messages (chat_id, unix_timestamp)`,
  // Reserved chats that were never used are found by this index, without reading all chats.
  `create index chats_empty on chats (created_at) where selected_message_id is null`,
  // Finds pending calls without reading all messages.
  `create index messages_waiting on messages (chat_id) where call_state = 'waiting'`,
  `create table files (
    id text primary key,
    chat_id text not null,
    message_id text not null,
    name text not null,
    type text not null,
    size ${integer} not null,
    data text not null,
    constraint files_of_messages ${ofMessage})`,
  `create index files_by_message on files (chat_id, message_id)`,

  // The runs that write replies, their events, and responses to elicitations.
  `create table runs (
    id ${incrementingKey},
    chat_id text not null references chats (id) on delete cascade,
    user_id text not null,
    message_id text not null,
    status text not null,
    node_id text not null,
    lease_until ${integer} not null,
    last_seq ${integer} not null,
    stop_requested ${integer} default 0 not null,
    started_at ${integer} not null,
    ended_at ${integer})`,
  // A chat has at most one active run. Inserting a second one fails, even at the same moment.
  `create unique index runs_active on runs (chat_id) where status = 'running'`,
  `create index runs_by_chat on runs (chat_id, started_at)`,
  `create index runs_by_end on runs (ended_at) where ended_at is not null`,
  // In the order of writing, so that the events of simultaneous runs share pages. In the order of their keys (`without
  // rowid`), each run would have a page of its own, and a commit would write one page for each run.
  `create table run_events (
    run_id ${integer} not null references runs (id) on delete cascade,
    seq ${integer} not null,
    event text not null,
    constraint run_events_key primary key (run_id, seq))`,
  `create table question_answers (
    question_id text primary key,
    run_id ${integer} not null references runs (id) on delete cascade,
    answer text not null)`,
  `create index question_answers_by_run on question_answers (run_id)`,

  // The summaries in place of older messages, and what the model was given for each reply.
  `create table compactions (
    id text primary key,
    chat_id text not null,
    message_id text not null,
    message_count ${integer} not null,
    content text not null,
    bot_id text not null,
    bot text not null,
    model text not null,
    edited ${integer} not null,
    written_at ${integer} not null,
    held_until ${integer},
    constraint compactions_of_messages ${ofMessage})`,
  // A message is the last one of at most one summary, even when two requests write a summary at the same moment.
  `create unique index compactions_by_message on compactions (chat_id, message_id)`,
  `create table sent_prompts (
    chat_id text not null,
    message_id text not null,
    prompt text not null,
    constraint sent_prompts_key primary key (chat_id, message_id),
    constraint prompts_of_messages ${ofMessage})`,
  `create table prompt_texts (
    user_id text not null references users (id) on delete cascade,
    hash text not null,
    content text not null,
    used_at ${integer} not null,
    constraint prompt_texts_key primary key (user_id, hash))`,
  `create index prompt_texts_by_use on prompt_texts (user_id, used_at)`,

  // Links to messages. A message has at most one, so that sharing it twice at the same time creates one link.
  `create table shares (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    chat_id text not null,
    message_id text not null,
    created_at ${integer} not null,
    constraint shares_message unique (chat_id, message_id),
    constraint shares_of_messages ${ofMessage})`,
  `create index shares_by_time on shares (user_id, created_at)`,

  // Connectors, their tools, and what each tool may do.
  `create table connectors (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    name text not null,
    url text not null,
    token text,
    client_id text,
    client_secret text,
    status text not null,
    error_message text,
    call_error text,
    notice text,
    is_default ${integer} not null,
    asks ${integer} not null,
    slug text not null,
    credential_version ${integer} not null,
    tools_expire_at ${integer},
    era text,
    created_at ${integer} not null,
    constraint connectors_name unique (user_id, name),
    constraint connectors_slug unique (user_id, slug))`,
  `create table connector_tools (
    connector_id text not null references connectors (id) on delete cascade,
    name text not null,
    position ${integer} not null,
    definition text not null,
    fingerprint text not null,
    problem text,
    constraint connector_tools_key primary key (connector_id, name))`,
  `create table tool_permissions (
    connector_id text not null references connectors (id) on delete cascade,
    name text not null,
    permission text not null,
    position ${integer} not null,
    fingerprint text,
    definition text,
    constraint tool_permissions_key primary key (connector_id, name))`,

  // OAuth grants and pending consents, and the catalogue.
  `create table connector_grants (
    connector_id text primary key references connectors (id) on delete cascade,
    user_id text not null,
    issuer text not null,
    tokens text,
    details text not null,
    refreshing_until ${integer})`,
  `create table connector_consents (
    state_hash text primary key,
    connector_id text not null references connectors (id) on delete cascade,
    user_id text not null,
    browser_hash text not null,
    payload text not null,
    expires_at ${integer} not null)`,
  `create table connector_catalogue (
    source text primary key,
    servers text not null,
    fetched_at ${integer} not null,
    attempted_at ${integer} not null)`,

  // The record of calls. It is kept when its connector is deleted.
  `create table tool_calls (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    connector_id text,
    connector text not null,
    tool text not null,
    arguments_hash text not null,
    approval text not null,
    outcome text not null,
    started_at ${integer} not null,
    duration ${integer},
    bytes ${integer})`,
  `create index tool_calls_by_time on tool_calls (user_id, connector_id, started_at)`,

  // Connections to outside services, and the pending consents of users.
  `create table integrations (
    user_id text not null references users (id) on delete cascade,
    name text not null,
    version ${integer} not null,
    api_key text,
    tokens text,
    scopes text,
    ended ${integer} not null,
    call_error text,
    refreshing_until ${integer},
    created_at ${integer} not null,
    constraint integrations_key primary key (user_id, name))`,
  `create table integration_consents (
    state_hash text primary key,
    user_id text not null,
    name text not null,
    verifier text not null,
    expires_at ${integer} not null,
    constraint consents_of_integrations foreign key (user_id, name)
      references integrations (user_id, name) on delete cascade)`,
  `create index integration_consents_by_end on integration_consents (expires_at)`,

  // What each call of a model used and cost. The only foreign key is the user, so that a record survives the deletion of
  // its chat and its bot.
  `create table usage_records (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    chat_id text not null,
    message_id text not null,
    kind text not null,
    bot_id text not null,
    bot text not null,
    model text not null,
    provider text,
    time ${integer} not null,
    input_tokens ${integer},
    output_tokens ${integer},
    cached_tokens ${integer},
    cache_write_tokens ${integer},
    reasoning_tokens ${integer},
    cost ${integer},
    currency text,
    duration_ms ${integer},
    first_text_ms ${integer})`,
  `create index usage_by_time on usage_records (user_id, time)`,
  `create index usage_by_message on usage_records (user_id, chat_id, message_id)`,
]

/** The foreign key of rows that are deleted with their message. */
const ofMessage = `foreign key (chat_id, message_id) references messages (chat_id, id) on delete cascade`

import type { Generated, Insertable, Selectable } from 'kysely'
import type { ConnectorTables } from './connector-tables.ts'
import type { IntegrationTables } from './integration-tables.ts'

/*
 * The tables of both engines. Ids are text, except those of runs. Times are integer milliseconds since 1970, JSON is
 * text, booleans are 0 or 1. `migrations/` creates them. Rows are never sent to a browser: presenters convert them.
 */

/** One row. */
export interface InstallationTable {
  /** The `issuer` of all users with an account of the built-in provider. It never changes, whatever PUBLIC_URL is. */
  issuer: string
}

export interface UserTable {
  id: string
  /** Of the hosted provider, or of this installation. */
  issuer: string
  subject: string
  name: string | null
  email: string | null
  picture: string | null
  created_at: number
  /** When the operator disabled or deleted the user. Null while the user may sign in. */
  disabled_at: Generated<number | null>
  /**
   * Work that a node still has to do for a disabled user: `revoke` the tokens from other servers, or `delete` all data.
   * Null when there is none.
   */
  pending: Generated<'revoke' | 'delete' | null>
  /** When the user last sent a request, to the hour. Null before the first one. */
  used_at: Generated<number | null>
}

export interface BotRow {
  id: string
  user_id: string
  name: string
  model: string
  base_url: string | null
  /** Sealed by `seal-secret.ts`. */
  api_key: string | null
  api_type: string | null
  custom_api_path: string | null
  max_tokens: number | null
  instructions: string | null
  temperature: number | null
  top_p: number | null
  reasoning_effort: string | null
  context_window: number | null
  /** JSON: the ids of the connectors that the bot may use. Null means all. An id of a deleted one stays. */
  connectors: string | null
  /** 1 for a copy of one of the operator's default bots that the user has not changed. */
  is_default: number
  created_at: number
  /** The model that writes the titles of chats. Null when their first message is the title. */
  title_model: string | null
}

export interface ChatTable {
  id: string
  user_id: string
  selected_message_id: string | null
  created_at: number
  updated_at: number
  /** Characters of its messages, including reasoning and arguments of calls. */
  chars: Generated<number>
  /** Null before the first message. */
  title: Generated<string | null>
  /** The title folded (`foldText`), for the filter of the list. */
  title_key: Generated<string | null>
  /** Who wrote the title. Null for the beginning of the first message of the selected path. */
  title_source: Generated<'user' | 'model' | null>
  pinned: Generated<number>
  archived: Generated<number>
  /** 1 when a reply has ended, or waits for approval, that no page has shown yet, or when the user marked the chat. */
  unread: Generated<number>
  /** Emptied when the project is deleted. */
  project_id: Generated<string | null>
  /** When the user deleted the chat, which can be restored for a time. 0 when it is about to be deleted for good. */
  deleted_at: Generated<number | null>
}

export interface ProjectRow {
  id: string
  user_id: string
  name: string
  /** Stands before the instructions of the bot in each chat of the project; empty for none. */
  instructions: string
  /** The bot with which its chats begin. An id of a deleted one stays. */
  bot_id: string | null
  created_at: number
}

export interface MessageTable {
  chat_id: string
  /** Unique within its chat only, since clients may choose it. */
  id: string
  /** Assigned by the engine in the order of writing, across all chats. The search index refers to it. */
  position: Generated<number>
  parent_id: string | null
  role: string
  /** Its text. */
  content: string
  /** JSON: the references to its files (`files`). Null when there is only text. */
  files: string | null
  reasoning: string | null
  status: string
  error_code: string | null
  error_message: string | null
  model: string | null
  provider: string | null
  bot_id: string | null
  /** The bot's name when the reply was begun, shown after the bot is deleted. */
  bot: string | null
  usage: string | null
  /** Why a reply that is `complete` was cut: `length` or `content_filter`. */
  finish: string | null
  /** The first two messages of the path to this one, so that the list of chats reads only three rows of a long chat. */
  first_id: string
  second_id: string | null
  /** The connector of a call or a result. Null for a tool whose name the model made up. */
  connector_id: string | null
  /** The connector's name when the call was made, shown after the connector is deleted. */
  server: string | null
  tool: string | null
  arguments: string | null
  /** Of a reply that calls a tool: `waiting`, `running`, `answered` or `denied`. */
  call_state: string | null
  /** JSON: the other fields of that call (`chats/tool-call-store.ts`). */
  call: string | null
  /** JSON, of a tool's result. */
  outcome: string | null
  notice: string | null
  /**
   * JSON: the tools that are left out of requests, beginning with this reply. Null when the last value on the path to
   * it still applies.
   */
  left_out_tools: string | null
  /** Milliseconds, strictly increasing within a chat. */
  unix_timestamp: number
  /** When the user last chose a version whose path ends with this message (`last-shown-leaf.ts`). */
  selected_at: Generated<number | null>
}

export interface RunTable {
  /** Ascending in the order of starting, so that simultaneous runs write to the same pages of the database. */
  id: Generated<number>
  chat_id: string
  user_id: string
  message_id: string
  /** `running`, or how it ended. At most one run of a chat is `running`. */
  status: string
  node_id: string
  /**
   * Renewed while its node is alive. After this time of the database's clock, any other node may end the run as
   * interrupted.
   */
  lease_until: number
  last_seq: number
  stop_requested: number
  started_at: number
  ended_at: number | null
}

export interface RunEventRow {
  run_id: number
  seq: number
  event: string
}

/** A file of a message. It is stored separately to keep reading a chat fast. */
export interface FileTable {
  id: string
  chat_id: string
  message_id: string
  name: string
  /** Its media type. */
  type: string
  /** In bytes. */
  size: number
  /** Base64. */
  data: string
}

/** A user's response to an elicitation, on its way to the node that runs the call. */
export interface ElicitationAnswerRow {
  question_id: string
  run_id: number
  /** JSON. */
  answer: string
}

/** Finished messages that are not in the search index yet. Only SQLite has the column `chunk`. */
export interface SearchQueueTable {
  position: number
  /** The next chunk of a long text. */
  chunk: Generated<number>
}

/** SQLite only: the short numbers of users in the search index. */
export interface SearchUserTable {
  number: Generated<number>
  user_id: string
}

/** PostgreSQL only: the servers that use the database, and those that ended without a shutdown a moment ago. */
export interface NodeTable {
  id: string
  /** Renewed while the process lives. After this time of the database's clock, it counts as ended. */
  lease_until: number
  /** 1 for a process that is about to end. */
  draining: number
}

/** PostgreSQL only: what is notified where notifications do not arrive (`NotificationListeners`), for some seconds. */
export interface ChangeTable {
  id: Generated<number>
  topic: 'chat' | 'settings'
  node_id: string
  user_id: string
  subject: string
  /** By the database's clock. */
  created_at: number
}

export interface KeyTable {
  name: string
  value: string
  created_at: number
}

export interface AccountTable {
  id: string
  /** Of an account that has a password: lower case, trimmed, and unique among such accounts. */
  email: string | null
  name: string | null
  picture: string | null
  /** Null for an account that signs in with Google. */
  password_hash: string | null
  created_at: number
  /** When the operator disabled the account. */
  disabled_at: Generated<number | null>
}

export interface OidcTable {
  model: string
  /** A hash, so that the table does not reveal codes, tokens or sessions. */
  id: string
  /** Sealed. */
  payload: string
  grant_id: string | null
  uid: string | null
  expires_at: number | null
  consumed_at: number | null
  /**
   * The account of a grant, session, code or refresh token. For an interaction, the account that signed in with it. For
   * a link that the operator prints, its subject, which may be an e-mail. Null for other records.
   */
  account_id: Generated<string | null>
  /** The grant of the sign-in that the record belongs to. */
  sign_in_id: Generated<string | null>
}

/** A sign-in of an account in a browser. It begins with a grant and ends with it. */
export interface SignInRow {
  grant_id: string
  account_id: string
  /** The browser and its operating system, such as 'Firefox on Linux'. */
  browser: string | null
  created_at: number
  /** When its tokens were last issued. An open page requests new ones every few minutes. */
  used_at: number
}

/** Grants that were revoked before their expiry. A row is kept until every access token of the grant has expired. */
export interface EndedGrantTable {
  grant_id: string
  expires_at: number
}

/** A public link to a message and the path to it. Revoking the link deletes the row. */
export interface ShareRow {
  id: string
  user_id: string
  chat_id: string
  message_id: string
  created_at: number
}

/** A summary that requests to models contain in place of the older messages of a path. */
export interface CompactionRow {
  id: string
  chat_id: string
  /** The last message that it replaces. */
  message_id: string
  message_count: number
  content: string
  bot_id: string
  /** The bot's name when the summary was written. */
  bot: string
  model: string
  edited: number
  /** When it was written or changed. */
  written_at: number
  /** Until when, by the database's clock, it is reserved for a request that rewrites it. Null when not reserved. */
  held_until: number | null
}

/** What the model was given for a reply (`completions/prompt/sent-prompt.ts`). */
export interface SentPromptTable {
  chat_id: string
  message_id: string
  /** JSON. */
  prompt: string
}

/** A long text of prompts: instructions, the definitions of tools, or a summary. */
export interface PromptTextTable {
  user_id: string
  hash: string
  content: string
  used_at: number
}

/** What one call of a model used and cost. It outlives its chat and its bot. */
export interface UsageRecordRow {
  id: string
  user_id: string
  chat_id: string
  /** The id of the reply that the model was called for, or of the summary that the user had rewritten. */
  message_id: string
  kind: 'reply' | 'summary' | 'title'
  bot_id: string
  /** The name of the bot at the time of the call. */
  bot: string
  /** The model that was set in the bot at the time of the call. */
  model: string
  provider: string | null
  time: number
  /** Null when the provider did not report it. */
  input_tokens: number | null
  output_tokens: number | null
  /** Parts of the input. */
  cached_tokens: number | null
  cache_write_tokens: number | null
  /** Part of the output. */
  reasoning_tokens: number | null
  /** In billionths of the currency's unit, at the prices of that time. Null when it is not known. */
  cost: number | null
  /** ISO 4217; null without a cost. */
  currency: string | null
  duration_ms: number | null
  /** Milliseconds from the start of the call to the first text or reasoning. */
  first_text_ms: number | null
}

export interface Tables extends ConnectorTables, IntegrationTables {
  installation: InstallationTable
  users: UserTable
  bots: BotRow
  projects: ProjectRow
  chats: ChatTable
  messages: MessageTable
  runs: RunTable
  run_events: RunEventRow
  files: FileTable
  question_answers: ElicitationAnswerRow
  search_queue: SearchQueueTable
  search_users: SearchUserTable
  nodes: NodeTable
  changes: ChangeTable
  keys: KeyTable
  accounts: AccountTable
  oidc: OidcTable
  ended_grants: EndedGrantTable
  sign_ins: SignInRow
  shares: ShareRow
  compactions: CompactionRow
  sent_prompts: SentPromptTable
  prompt_texts: PromptTextTable
  usage_records: UsageRecordRow
}

export type MessageRow = Selectable<MessageTable>
export type ChatRow = Selectable<ChatTable>
export type NewChatRow = Insertable<ChatTable>
export type UserRow = Selectable<UserTable>
export type AccountRow = Selectable<AccountTable>
export type NewAccountRow = Insertable<AccountTable>
export type RunRow = Selectable<RunTable>

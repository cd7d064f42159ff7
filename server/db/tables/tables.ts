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
  /** `yes` or `no`: whether the model is given pictures, and PDFs as they are. Null: what is known of it decides. */
  images: string | null
  pdf: string | null
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
  /** The product from whose export the chat was imported (`ImportSource`), and its id there. Null for our own chats. */
  source: Generated<string | null>
  source_id: Generated<string | null>
  /** The bot with which an imported chat goes on when none of its replies names one. An id of a deleted one stays. */
  bot_id: Generated<string | null>
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
  /** JSON: the references to its files. Null when there is only text. */
  files: string | null
  /** Their names, one on each line, for the search. */
  file_names: string | null
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

/** A file of a message in versions before migration 9. `moveFormerFiles` makes a file of its user of it. */
export interface FormerFileTable {
  id: string
  chat_id: string
  message_id: string
  name: string
  type: string
  size: number
  /** Base64. */
  data: string
}

/** A file of a user. Its bytes never change, and are elsewhere (`FileBytes`). */
export interface FileTable {
  id: string
  user_id: string
  /** SHA-256 of the bytes, in hex: a user has each content once. Null for a second one from before that rule. */
  hash: string | null
  /** The name with which it was stored first. A message has a name of its own. */
  name: string
  /** Its media type, by its content. */
  type: string
  /** In bytes. */
  size: number
  /** In pixels. Null unless it is a picture that was checked. */
  width: number | null
  height: number | null
  /** What its text is counted in, and how many of these it has. Null without a text. */
  unit: string | null
  total: number | null
  /** Why its text could not be read, as a sentence. */
  problem: string | null
  /** When it was uploaded last. Null when a message has been sent with it since then. */
  unsent_since: number | null
}

/** A file in a message. The order and the names are in the message. */
export interface MessageFileRow {
  file_id: string
  chat_id: string
  message_id: string
}

/** A part of the text of a file, such as a page. */
export interface FileTextRow {
  file_id: string
  /** From 0. */
  number: number
  content: string
  /** Estimated. */
  tokens: number
  /** How many pages, slides, sheets or lines it has. */
  units: number
}

/**
 * A part of the bytes of a file (`TableBytes`). On SQLite, they are here only while a backup is being restored.
 */
export interface FilePieceRow {
  file_id: string
  /** From 0. All but the last one have the same size. */
  number: number
  data: Uint8Array
}

/** Bytes of files that have no row in `user_files`, or not yet. */
export interface UnusedBytesRow {
  file_id: string
  /** When an upload began, which may go on. 0 for bytes that can be deleted. */
  since: number
}

/** The last export and the last import of a user. */
export interface TransferRow {
  id: string
  user_id: string
  kind: 'export' | 'import'
  /** Work is done in the states `running` and `reading`. */
  state: 'uploading' | 'reading' | 'ready' | 'running' | 'done' | 'failed' | 'cancelled'
  /** JSON (`TransferFile`). Their bytes stay in `unused_bytes`, which deletes them after a day. */
  files: string
  /** JSON: what the user chose. */
  options: string | null
  /** JSON: what was found or done. */
  report: string | null
  /** Why it failed, as a sentence. */
  error: string | null
  /** How much of `total` is done, in bytes while reading, else in chats. */
  done: number
  total: number | null
  created_at: number
  ended_at: number | null
  /** Until when a node works on it, by the database's clock. 0 when none does. */
  lease_until: number
}

/** A text that a user has not sent, while nothing of it is in a browser. */
export interface DraftRow {
  user_id: string
  /** The name of its input. */
  key: string
  content: string
}

/** A message that is sent when the reply before it has ended. */
export interface QueuedMessageRow {
  chat_id: string
  /** The id that the message keeps when it is sent. */
  id: string
  user_id: string
  /**
   * The last message of its branch when it was queued. It is sent after the last message below this one, and only while
   * the chat shows that branch. Empty in a chat without messages.
   */
  branch_id: string
  /** Ascending in the order of sending, within its chat. */
  position: number
  /** JSON: `MessageContent`. */
  content: string
  /** An id of a deleted bot stays. */
  bot_id: string
  time_zone: string | null
  /** 1 when it goes into the running reply at the next step. */
  steers: number
  /** Why it could not be sent, as a sentence. */
  problem: string | null
  /**
   * The run into whose reply it goes with the next commit. It cannot be changed then. If that run has ended without it,
   * it waits as the others do.
   */
  run_id: number | null
  created_at: number
}

/** A browser to which notifications are pushed. */
export interface PushSubscriptionRow {
  id: string
  user_id: string
  /** SHA-256 of the address at the push service. */
  endpoint_hash: string
  /** Sealed JSON: the address and the keys of the browser. */
  subscription: string
  label: string
  created_at: number
  /** When its push service last accepted a notification. */
  used_at: number | null
}

export interface WebhookRow {
  user_id: string
  url: string
  /** Sealed. */
  secret: string
  /** Why the last notification did not arrive, as a sentence. */
  error: string | null
  created_at: number
}

export interface NotificationSettingsRow {
  user_id: string
  /** JSON (`NotificationChoices`). */
  settings: string
}

/**
 * A notification on its way to one target. The row stays for some hours after its end, so that nothing is told twice.
 */
export interface NoticeRow {
  /** What it is about, and its target: a second notice about the same has the same id. */
  id: string
  user_id: string
  /** The id of a push subscription, or `webhook`. */
  target: string
  /** JSON (`Notice`). */
  payload: string
  attempts: number
  /** When it is sent next, by the database's clock. A node that sends it moves this on first. */
  due_at: number
  /** By the database's clock. */
  created_at: number
  /** When it was delivered or given up, by the database's clock. Null while it is on its way. */
  ended_at: number | null
}

/** A tab in which the user sees the product, so that nothing is pushed. */
export interface VisibleTabRow {
  user_id: string
  tab: string
  /** By the database's clock. */
  visible_until: number
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
  /** 1 when its visitors may read the files in the messages. */
  files: number
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
  files: FormerFileTable
  user_files: FileTable
  message_files: MessageFileRow
  file_texts: FileTextRow
  file_pieces: FilePieceRow
  unused_bytes: UnusedBytesRow
  transfers: TransferRow
  drafts: DraftRow
  queued_messages: QueuedMessageRow
  push_subscriptions: PushSubscriptionRow
  webhooks: WebhookRow
  notification_settings: NotificationSettingsRow
  notices: NoticeRow
  visible_tabs: VisibleTabRow
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

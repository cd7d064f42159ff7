import type { Generated, Selectable } from 'kysely'

/** A user's connector: an MCP server and its status. */
export interface ConnectorTable {
  id: string
  user_id: string
  name: string
  /** As the user entered it. For an integration: `builtin://` and its name, or the address of its API-key service. */
  url: string
  /** Sealed by `seal-secret.ts`. */
  token: string | null
  /** Our client at its authorization server, when the user registered one. The secret is sealed. */
  client_id: string | null
  client_secret: string | null
  /** Sealed: the user's own headers, as a list in JSON. */
  headers: string | null
  status: string
  error_message: string | null
  /** Why calls fail although the server lists its tools. Null once a call has worked again. */
  call_error: string | null
  /** A sentence about tools of the list that are ignored or cannot be used. */
  notice: string | null
  is_default: number
  /** 0: there is no list of allowed tools, and every tool runs without approval. */
  asks: number
  /** The prefix of its tools' names for models. It stays when the connector is renamed. */
  slug: string
  /**
   * Incremented with every change of address, credentials or account, but not by refreshed tokens. Connections of an
   * older version are never used again.
   */
  credential_version: number
  /** After this time, the next use requests the list of tools again. Null while there is no list to use. */
  tools_expire_at: number | null
  /** When the list of tools was last read from its server; 0 when it was not, or before this was recorded. */
  tools_read_at: Generated<number>
  /** JSON: the protocol revision of the server, and when it is checked again. */
  era: string | null
  /** Seconds for which a tool may be silent; null for the default. */
  time_limit: number | null
  created_at: number
  /** 1 when models that can see are given the pictures of its results. */
  pictures: number
}
export type ConnectorRow = Selectable<ConnectorTable>

export interface ConnectorToolRow {
  connector_id: string
  name: string
  position: number
  /** JSON: the definition from the server. */
  definition: string
  fingerprint: string
  /** Why the tool cannot be offered to models. */
  problem: string | null
}

/** A user's decision about a tool: without a row the tool asks. The connector may have no tool of this name now. */
export interface ToolPermissionTable {
  connector_id: string
  name: string
  /** A blocked tool is not offered to models and never runs. */
  permission: 'allow' | 'block'
  /** The place in the list of allowed or of blocked tools. */
  position: number
  /** The version that was decided about. Null until the server has listed such a tool. */
  fingerprint: string | null
  definition: string | null
  /** 0 when it is older than this record. */
  created_at: Generated<number>
  /** When a call was last allowed by it, and how many were. */
  used_at: Generated<number | null>
  uses: Generated<number>
}
export type ToolPermissionRow = Selectable<ToolPermissionTable>

/** An allowance of a tool that ends, or is for one chat, one bot, or some arguments. */
export interface ToolGrantRow {
  id: string
  user_id: string
  connector_id: string
  /** The tool, and the version that was allowed. With another fingerprint it allows nothing. */
  name: string
  fingerprint: string
  definition: string
  /** Null for every bot, every chat, without an end. An id of a deleted bot stays, so that it allows nothing. */
  bot_id: string | null
  chat_id: string | null
  ends_at: number | null
  /** JSON: `rule` of `GrantLimits`. */
  rule: string | null
  created_at: number
  used_at: number | null
  uses: number
}

export interface ToolCallRow {
  id: string
  user_id: string
  connector_id: string | null
  /** The connector's name at the time of the call. */
  connector: string
  tool: string
  arguments_hash: string
  approval: string
  outcome: string
  started_at: number
  /** Milliseconds, without the time spent waiting for the user. */
  duration: number | null
  /** The size of the result. */
  bytes: number | null
  chat_id: string | null
  /** A hash of the server's session that the call ran in. Null when it was not sent, or its server has no sessions. */
  session: string | null
  /** The reply that made the call. Null for calls before migration 11. */
  message_id: string | null
  /** When the user decided, or the call expired, and on which device. Null for a call that needed no decision. */
  decided_at: number | null
  decided_on: string | null
  /** The grant that allowed it, even if it was revoked since. */
  grant_id: string | null
  /** 1 when the user changed its arguments. */
  edited: number
}

/** The registration and tokens from an authorization server for a connector. */
export interface ConnectorGrantRow {
  connector_id: string
  user_id: string
  issuer: string
  /** Sealed JSON. */
  tokens: string | null
  /** Sealed JSON: our registration, the metadata of the server, and what the user has confirmed and should consent to. */
  details: string
  /** Until when, by the database's clock, a process reserves the tokens for refreshing them. */
  refreshing_until: number | null
}

/** A consent that the user is giving at an authorization server. */
export interface ConnectorConsentRow {
  /** The hash of the OAuth parameter `state`, with which the server redirects back. */
  state_hash: string
  connector_id: string
  user_id: string
  /** The hash of a cookie, so that only the browser that began the consent can finish it. */
  browser_hash: string
  /** Sealed JSON. */
  payload: string
  expires_at: number
}

export interface ConnectorCatalogueRow {
  source: string
  /** JSON. */
  servers: string
  fetched_at: number
  attempted_at: number
}

export interface ConnectorTables {
  connectors: ConnectorTable
  connector_tools: ConnectorToolRow
  tool_permissions: ToolPermissionTable
  tool_grants: ToolGrantRow
  tool_calls: ToolCallRow
  connector_grants: ConnectorGrantRow
  connector_consents: ConnectorConsentRow
  connector_catalogue: ConnectorCatalogueRow
}

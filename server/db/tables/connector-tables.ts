import type { Selectable } from 'kysely'

/** A person's connector: a server of tools, and how it stands. */
export interface ConnectorTable {
  id: string
  user_id: string
  name: string
  /** As it was typed. */
  url: string
  /** Sealed by `seal-secret.ts`. */
  token: string | null
  /** How we are registered at its authorization server, when a person did that; the secret is sealed. */
  client_id: string | null
  client_secret: string | null
  status: string
  error_message: string | null
  notice: string | null
  is_default: number
  /** 0: there is no list of allowed tools, every tool runs without asking. */
  asks: number
  /** Begins the names under which models know its tools; it stays when the connector is renamed. */
  slug: string
  /** Grows with every change of address or credentials: a connection of an older one is never used again. */
  credential_version: number
  /** When the stored list of tools is asked for again; null before the first one. */
  tools_expire_at: number | null
  /** JSON: which revision the server speaks, and until when that is believed. */
  era: string | null
  created_at: number
}

export interface ConnectorToolTable {
  connector_id: string
  name: string
  position: number
  /** JSON: what the server says of the tool. */
  definition: string
  fingerprint: string
  /** Why the tool cannot be offered. */
  problem: string | null
}

/** A name on a connector's list of allowed tools, and the tool as it was when it was allowed. */
export interface AllowedToolTable {
  connector_id: string
  name: string
  position: number
  /** Null when no such tool was known. */
  fingerprint: string | null
  definition: string | null
}

export interface ToolCallTable {
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
  duration: number | null
  bytes: number | null
}

/** What an authorization server gave for a connector. */
export interface ConnectorGrantTable {
  connector_id: string
  issuer: string
  user_id: string
  /** Sealed JSON: our registration there. */
  client: string | null
  /** Sealed JSON. */
  tokens: string | null
  /** JSON: what the servers say of themselves. */
  discovery: string | null
  /** Which node refreshes the tokens at this moment, so that no other does. */
  refreshing_until: number | null
  updated_at: number
}

/** A person was sent away to consent; they come back with the state whose hash this is. */
export interface ConnectorConsentTable {
  state_hash: string
  connector_id: string
  user_id: string
  browser_hash: string
  /** Sealed JSON. */
  payload: string
  expires_at: number
}

export interface ConnectorCatalogueTable {
  source: string
  /** JSON. */
  servers: string
  fetched_at: number
  attempted_at: number
}

export interface ConnectorTables {
  connectors: ConnectorTable
  connector_tools: ConnectorToolTable
  allowed_tools: AllowedToolTable
  tool_calls: ToolCallTable
  connector_grants: ConnectorGrantTable
  connector_consents: ConnectorConsentTable
  connector_catalogue: ConnectorCatalogueTable
}

export type ConnectorRow = Selectable<ConnectorTable>
export type ConnectorToolRow = Selectable<ConnectorToolTable>
export type AllowedToolRow = Selectable<AllowedToolTable>
export type ToolCallRow = Selectable<ToolCallTable>
export type ConnectorGrantRow = Selectable<ConnectorGrantTable>
export type ConnectorConsentRow = Selectable<ConnectorConsentTable>
export type ConnectorCatalogueRow = Selectable<ConnectorCatalogueTable>

import type { Selectable } from 'kysely'

/** A user's integration, connected or not. Its name determines how it is connected. */
export interface IntegrationTable {
  user_id: string
  name: string
  /** Incremented with every connect and disconnect. Connections of an older version are not used again. */
  version: number
  /** Sealed by `seal-secret.ts`. */
  api_key: string | null
  /** Sealed JSON: the tokens from Google. */
  tokens: string | null
  /** The scopes that the user granted at Google, separated by spaces. */
  scopes: string | null
  /** 1: Google revoked the connection. */
  ended: number
  /** Why the connector of the integration fails. Null once it works again. */
  call_error: string | null
  /** Until when a process reserves the tokens for refreshing them. */
  refreshing_until: number | null
  created_at: number
}

/** A consent that the user is giving at Google. The redirect back carries the state of this hash. */
export interface IntegrationConsentTable {
  state_hash: string
  user_id: string
  name: string
  /** Sealed. */
  verifier: string
  expires_at: number
}

export interface IntegrationTables {
  integrations: IntegrationTable
  integration_consents: IntegrationConsentTable
}

export type IntegrationRow = Selectable<IntegrationTable>
export type IntegrationConsentRow = Selectable<IntegrationConsentTable>

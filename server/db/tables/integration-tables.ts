import type { Selectable } from 'kysely'

/** A person's integration, connected or not. How it is connected follows from its name. */
export interface IntegrationTable {
  user_id: string
  name: string
  /** Grows whenever it is connected or disconnected: what was opened with an older one is not used again. */
  version: number
  /** Sealed by `seal-secret.ts`. */
  api_key: string | null
  /** Sealed JSON: what Google gave. */
  tokens: string | null
  /** What the person has allowed at Google, with spaces between. */
  scopes: string | null
  /** 1: it was connected and Google has ended that. */
  ended: number
  /** Which node renews the tokens at this moment, so that no other does. */
  refreshing_until: number | null
  created_at: number
}

/** A person was sent away to consent; they come back with the state whose hash this is. */
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

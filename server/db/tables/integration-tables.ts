/** A user's integration, connected or not. Its name determines how it is connected. */
export interface IntegrationRow {
  user_id: string
  name: string
  /** Incremented when the key or the account changes. MCP sessions of an older version are not used again. */
  version: number
  /** Sealed by `seal-secret.ts`. */
  api_key: string | null
  /** Sealed JSON: the tokens from Google. */
  tokens: string | null
  /** The scopes that the user granted at Google, separated by spaces. */
  scopes: string | null
  /** 1: the tokens were removed, because Google refused to refresh them. */
  ended: number
  /** Why the connector of the integration fails. Null once it works again. */
  call_error: string | null
  /** Until when, by the database's clock, a process reserves the tokens for refreshing them. */
  refreshing_until: number | null
  /** Milliseconds since 1970. Different for each integration of a user, so that it gives their order. */
  created_at: number
}

/** A consent that the user is giving at Google. */
export interface IntegrationConsentRow {
  /** The hash of the OAuth parameter `state`, with which Google redirects back. */
  state_hash: string
  user_id: string
  name: string
  /** The PKCE code verifier, sealed. */
  verifier: string
  /** Milliseconds since 1970. */
  expires_at: number
}

export interface IntegrationTables {
  integrations: IntegrationRow
  integration_consents: IntegrationConsentRow
}

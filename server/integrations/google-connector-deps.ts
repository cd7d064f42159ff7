import type { FindGoogleAccess } from './oauth/google-access.ts'

/** What the connectors of Gmail and Google Calendar work with. */
export interface GoogleConnectorDeps {
  readonly findAccess: FindGoogleAccess
  /** The way out to addresses from the settings; its answers are capped. */
  readonly fetch: typeof globalThis.fetch
  /** Without a slash at the end. */
  readonly apiUrls: { readonly gmail: string; readonly calendar: string }
  /** Milliseconds since 1970. */
  readonly now: () => number
}

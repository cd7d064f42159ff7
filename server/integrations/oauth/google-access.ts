import type { GoogleIntegration } from '@yonder/contract/integration-names'

/** What a person's Google account lets us do at this moment. */
export interface GoogleAccess {
  /** Good for a minute at least. Never stored, logged or shown. */
  readonly token: string
  /** What the person has allowed, which may be less than was asked. */
  readonly scopes: ReadonlySet<string>
}

/**
 * Gives an access token for a person's integration, renewed where that is due. `refused` is a token that Google has just
 * answered 401 to: then another one is given, or the integration has ended.
 * @throws AppError `not_connected` when the person has to connect (again), `upstream_…` when Google does not answer as it
 * should; the message is for the person and the model
 */
export type FindGoogleAccess = (
  userId: string,
  name: GoogleIntegration,
  options?: { readonly signal?: AbortSignal; readonly refused?: string },
) => Promise<GoogleAccess>

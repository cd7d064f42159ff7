import type { OAuthDiscoveryState, StoredOAuthClientInformation } from '@modelcontextprotocol/client'
import { randomSecret } from '../../lib/secret.ts'

/** Milliseconds after which a pending consent expires. */
export const maxConsentMs = 10 * 60_000

/** A request to connect, made by a browser that can be sent to a consent page. */
export interface ConsentRequest {
  /** The path on our origin to which the browser returns. */
  readonly returnTo: string
  /** A secret that only this browser has. */
  readonly browserKey: string
  /** The page to send the browser to; set when consent, or connecting an integration, is needed. */
  authorizationUrl: URL | null
  /** The origins of authorization servers that the user has confirmed with this request. */
  readonly confirmedOrigins: readonly string[]
  /** The origins that the user has to confirm first; set when there are any. */
  originsToConfirm: readonly string[]
}

/** The payload of a stored consent, which is encrypted until the user comes back. */
export interface PendingConsent {
  /** The code verifier (PKCE) that proves that the code was requested by us. */
  readonly verifier: string
  readonly returnTo: string
  readonly credentialVersion: number
  /** The authorization server that the user was sent to. */
  readonly discovery: OAuthDiscoveryState | undefined
  /** The origins of that server, other than the connector's, that the user has confirmed. */
  readonly confirmed: readonly string[]
  /** Our registration there; null when the user entered a client. */
  readonly client: StoredOAuthClientInformation | null
  /** The requested scope. */
  readonly scope: string | null
}

/** Creates a consent request. `browserKey` is the key that the browser already has from an earlier request. */
export function createConsentRequest(
  returnTo: string,
  browserKey = randomSecret(),
  confirmedOrigins: readonly string[] = [],
): ConsentRequest {
  return { returnTo, browserKey, authorizationUrl: null, confirmedOrigins, originsToConfirm: [] }
}

/*
 * The consent cookie identifies the browser that was sent to consent, so that a code is accepted only from that
 * browser. Scripts cannot read it, and over TLS no other host can set it. It is not a session and grants no access.
 */

function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-yonder-consent' : 'yonder-consent'
}

/** Formats the `Set-Cookie` header. SameSite is Lax, because the browser comes back by a redirect from another site. */
export function formatConsentCookie(publicUrl: string, key: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const seconds = maxConsentMs / 1_000
  return `${cookieName(publicUrl)}=${key}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`
}

/** Reads the browser's key from a `Cookie` header. Several consents in one browser use the same key. */
export function readBrowserKey(publicUrl: string, header: string | undefined): string | undefined {
  const name = cookieName(publicUrl)
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='))
  const value = pairs.find(([key]) => key === name)?.[1]
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined
}

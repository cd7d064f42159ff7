import type { OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { createHash, randomBytes } from 'node:crypto'

/** Milliseconds in which a person must come back with their consent. */
export const consentTime = 10 * 60_000

/** A person stands at their browser and can be sent away to consent. */
export interface ConsentRequest {
  /** The page to come back to, below our origin. */
  readonly returnTo: string
  /** A secret that only this browser holds. */
  readonly browserKey: string
  /** Set when consent is needed: where to send the browser. */
  authorizationUrl: URL | null
}

/** What must survive until the person comes back; sealed. */
export interface PendingConsent {
  readonly verifier: string
  readonly returnTo: string
  readonly credentialVersion: number
  /** Where the person was sent. */
  readonly discovery: OAuthDiscoveryState | undefined
  /** What was asked for. */
  readonly scope: string | null
}

/** `browserKey` is the one that the browser has from an earlier request. */
export function openConsentRequest(returnTo: string, browserKey = randomSecret()): ConsentRequest {
  return { returnTo, browserKey, authorizationUrl: null }
}

/** 256 random bits in letters that fit into an address and a cookie. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a state or a browser's secret: whoever reads the table holds neither. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

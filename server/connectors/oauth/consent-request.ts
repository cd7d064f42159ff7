import type { OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { createHash, randomBytes } from 'node:crypto'

/** How long the user may take to consent. */
export const maxConsentMs = 10 * 60_000

/** A request of a user whose browser can be sent to consent. */
export interface ConsentRequest {
  /** The page to come back to, below our origin. */
  readonly returnTo: string
  /** A secret that only this browser holds. */
  readonly browserKey: string
  /** Set when consent is needed: where to send the browser. */
  authorizationUrl: URL | null
}

/** What is stored, sealed, until the user comes back. */
export interface PendingConsent {
  readonly verifier: string
  readonly returnTo: string
  readonly credentialVersion: number
  /** The authorization server that the user was sent to. */
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

/** Only hashes of states and browser secrets are stored, so the table reveals neither. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/*
 * Identifies the browser that was sent to consent, so that a code is accepted from no other. Scripts cannot read it, and
 * over TLS no other host can set it. It is no session: by itself it grants nothing.
 */

function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-yonder-consent' : 'yonder-consent'
}

/** Lax, because the browser comes back by a link from another site. */
export function writeBrowserKey(publicUrl: string, key: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const seconds = maxConsentMs / 1_000
  return `${cookieName(publicUrl)}=${key}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`
}

/** The browser's key in a `Cookie` header; a second consent in the same browser uses the same one. */
export function readBrowserKey(publicUrl: string, header: string | undefined): string | undefined {
  const name = cookieName(publicUrl)
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='))
  const value = pairs.find(([key]) => key === name)?.[1]
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined
}

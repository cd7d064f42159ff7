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

/*
 * Marks the browser that a person was sent away in, so that a code can come back in no other. Scripts cannot read it, and
 * over TLS no other host can set it. It is no sign-in: by itself it opens nothing.
 */

function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-yonder-consent' : 'yonder-consent'
}

/** Lax, because the browser comes back by a link from another site. */
export function writeBrowserKey(publicUrl: string, key: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const seconds = consentTime / 1_000
  return `${cookieName(publicUrl)}=${key}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`
}

/** The browser's key in a `Cookie` header; a second consent in the same browser uses the same one. */
export function readBrowserKey(publicUrl: string, header: string | undefined): string | undefined {
  const name = cookieName(publicUrl)
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='))
  const value = pairs.find(([key]) => key === name)?.[1]
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined
}

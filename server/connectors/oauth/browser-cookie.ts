import { consentTime } from './consent-request.ts'

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

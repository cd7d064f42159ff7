import type { OAuthDiscoveryState, OAuthMetadata } from '@modelcontextprotocol/client'
import { AppError } from '../../lib/app-error.ts'

/**
 * Returns the origins of an authorization server that are not the connector's own: of its address, its issuer and its
 * endpoints. The user confirms them before we register there or open a page.
 * @throws AppError `address_refused` for an address that users could misread or that cannot be stored
 */
export function listForeignOrigins(
  connectorUrl: string,
  issuer: string,
  state: OAuthDiscoveryState | undefined,
): string[] {
  const metadata: Partial<OAuthMetadata> = state?.authorizationServerMetadata ?? {}
  const addresses = [
    issuer,
    state?.authorizationServerUrl,
    metadata.authorization_endpoint,
    metadata.token_endpoint,
    metadata.registration_endpoint,
    metadata.revocation_endpoint,
  ].filter((address) => address !== undefined)
  const own = new URL(connectorUrl).origin
  const origins = addresses.map((address) => requireAddress(address).origin)
  return [...new Set(origins)].filter((origin) => origin !== own)
}

/** An issuer is part of a key in the database, and PostgreSQL limits the length of keys. */
const maxAddressChars = 2_000
const visibleAscii = /^[\x21-\x7e]+$/

/**
 * Checks an address of an authorization server, before it is stored, requested or shown.
 * @throws AppError `address_refused`
 */
export function requireAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !['https:', 'http:'].includes(url.protocol) || !visibleAscii.test(address)) {
    throw refuse('is not a web address in plain ASCII characters')
  }
  if (address.length > maxAddressChars)
    throw refuse(`has more than ${maxAddressChars.toLocaleString('en')} characters`)
  // The part before the `@` can look like a host name.
  if (url.username !== '' || url.password !== '') throw refuse('contains a user name or a password')
  return url
}

function refuse(problem: string): AppError {
  return new AppError(
    'address_refused',
    `An address of the authorization server ${problem}, so it was not opened. Ask those who run that server to correct it.`,
  )
}

/** The error of a connector whose authorization server the user has not confirmed. */
export function unconfirmed(name: string, origins: readonly string[]): AppError {
  return new AppError(
    'upstream_refused_key',
    `"${name}" signs in at ${origins.join(' and ')}, which you have not confirmed. Connect it again to confirm the address.`,
  )
}

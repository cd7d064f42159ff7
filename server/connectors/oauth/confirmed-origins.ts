import type { OAuthDiscoveryState, OAuthMetadata } from '@modelcontextprotocol/client'
import { toOrigin } from '../../db/secrets/credential.ts'
import { AppError } from '../../lib/app-error.ts'

/**
 * Returns the origins of an authorization server that are not the connector's own: of its address, its issuer and its
 * endpoints. The user confirms them before we register there or open a page (§18.39).
 * @throws AppError `address_refused` when an address contains a user name or a password
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
  addresses.forEach(refuseCredentials)
  const own = toOrigin(connectorUrl)
  const origins = addresses.map((address) => toOrigin(address) ?? address)
  return [...new Set(origins)].filter((origin) => origin !== own)
}

/** The browser would show the part before the `@` like a host name. */
function refuseCredentials(address: string): void {
  if (!URL.canParse(address)) return
  const { username, password } = new URL(address)
  if (username === '' && password === '') return
  throw new AppError(
    'address_refused',
    'An address of the authorization server contains a user name or a password, so it was not opened. Ask the operator of the connector to remove it.',
  )
}

/** The error of a connector whose authorization server the user has not confirmed. */
export function unconfirmed(name: string, origins: readonly string[]): AppError {
  return new AppError(
    'upstream_refused_key',
    `"${name}" signs in at ${origins.join(' and ')}, which you have not confirmed. Connect it again to confirm the address.`,
  )
}

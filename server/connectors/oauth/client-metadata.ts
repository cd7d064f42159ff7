import type { OAuthClientMetadata } from '@modelcontextprotocol/client'

/** The path to which authorization servers redirect users back. */
export const callbackPath = '/api/connector-oauth/callback'

export function redirectAddress(publicUrl: string): string {
  return `${publicUrl}${callbackPath}`
}

/** Creates our client metadata for authorization servers. */
export function createClientMetadata(publicUrl: string): OAuthClientMetadata {
  return {
    client_name: 'Yonder',
    client_uri: publicUrl,
    redirect_uris: [redirectAddress(publicUrl)],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

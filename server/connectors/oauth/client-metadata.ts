import type { OAuthClientMetadata } from '@modelcontextprotocol/client'

/** Where people come back to from an authorization server; it stands outside of the app's own routes. */
export const callbackPath = '/api/connector-oauth/callback'

export function redirectAddress(publicUrl: string): string {
  return `${publicUrl}${callbackPath}`
}

/** How we introduce ourselves to an authorization server. */
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

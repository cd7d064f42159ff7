import type { AuthType } from './integration.ts'

/** The integrations that sign in with Google; all others use an API key. */
export const googleIntegrations = ['google-gmail', 'google-calendar'] as const
export type GoogleIntegration = (typeof googleIntegrations)[number]

export function isGoogleIntegration(name: string): name is GoogleIntegration {
  return googleIntegrations.some((known) => known === name)
}

/** Returns the authentication type of an integration. Its name decides; another `auth_type` in a request is refused. */
export function authTypeOf(name: string): AuthType {
  return isGoogleIntegration(name) ? 'oauth' : 'api_key'
}

/** Returns the integration of the callback path `/callback/{service}`. The path of Gmail has a shorter name. */
export function integrationOfService(service: string): string {
  return service === 'gmail' ? 'google-gmail' : service
}

/** Returns the last segment of the callback path of a Google integration, as it is registered at Google. */
export function serviceOfIntegration(name: GoogleIntegration): string {
  return name === 'google-gmail' ? 'gmail' : name
}

/** Returns the display name: `google-gmail` is Gmail, `brave-search` is Brave Search, and capitals are kept. */
export function titleOfIntegration(name: string): string {
  if (integrationOfService(name) === 'google-gmail') return 'Gmail'
  return name
    .split(/[-_\s]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
    .trim()
}

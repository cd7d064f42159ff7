import type { AuthType, Integration, IntegrationInput } from '@yonder/contract/integration'
import { authTypeOf } from '@yonder/contract/integration-names'
import type { Problems } from '../../../lib/use-form.ts'

/** The state of the integration form. */
export interface IntegrationDraft {
  /** Empty until the user selects an integration. */
  readonly name: string
  /** Follows from the name; empty while no integration is selected. */
  readonly authType: AuthType | ''
  /** The mask of the stored key until the user types another; the server reads the mask as "unchanged". */
  readonly apiKey: string
}

/** Returns the draft of a stored integration, or an empty one for a new integration. */
export function draftOfIntegration(stored: Integration | undefined): IntegrationDraft {
  return {
    name: stored?.name ?? '',
    authType: stored?.auth_type ?? '',
    apiKey: stored?.api_key ?? '',
  }
}

/** Returns the draft after another integration was selected, without the key typed for the previous one. */
export function selectIntegration(name: string): IntegrationDraft {
  return { name, authType: name === '' ? '' : authTypeOf(name), apiKey: '' }
}

/** Returns the request body. An API key connects at once; OAuth needs the user's consent first. */
export function inputOfIntegration({ name, apiKey }: IntegrationDraft): IntegrationInput {
  const key = apiKey.trim()
  return authTypeOf(name) === 'api_key'
    ? { name, auth_type: 'api_key', connected: key !== '', api_key: key }
    : { name, auth_type: 'oauth', connected: false, api_key: null }
}

export type IntegrationField = keyof IntegrationDraft

/** Returns the problems that prevent saving a draft. */
export function checkIntegrationDraft({
  name,
  authType,
  apiKey,
}: IntegrationDraft): Problems<IntegrationField> {
  return {
    ...(name === '' ? { name: 'Integration name is required' } : {}),
    ...(authType === '' ? { authType: 'Authentication type is required' } : {}),
    ...(authType === 'api_key' && apiKey.trim() === ''
      ? { apiKey: 'API key is required for API Key authentication' }
      : {}),
  }
}

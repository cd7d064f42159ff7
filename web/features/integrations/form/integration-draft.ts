import type { AuthType, Integration, IntegrationInput } from '@yonder/contract/integration'
import { authTypeOf } from '@yonder/contract/integration-names'
import type { Problems } from '../../../lib/use-form.ts'

/** The state of the integration form. */
export interface IntegrationDraft {
  /** Empty until the user selects one. */
  readonly name: string
  /** Follows from the name (§5.15); empty with it. */
  readonly authType: AuthType | ''
  /** The stored key's mask until something else is typed; the server reads the mask as "unchanged". */
  readonly apiKey: string
}

/** The draft of a stored integration, or of a new one. */
export function draftOfIntegration(stored: Integration | undefined): IntegrationDraft {
  return {
    name: stored?.name ?? '',
    authType: stored?.auth_type ?? '',
    apiKey: stored?.api_key ?? '',
  }
}

/** The draft after another integration was selected. A key that was typed for the former one is dropped. */
export function selectIntegration(name: string): IntegrationDraft {
  return { name, authType: name === '' ? '' : authTypeOf(name), apiKey: '' }
}

/** The request body: a key connects at once, OAuth needs the user's consent first (§4.28). */
export function inputOfIntegration({ name, apiKey }: IntegrationDraft): IntegrationInput {
  const key = apiKey.trim()
  return authTypeOf(name) === 'api_key'
    ? { name, auth_type: 'api_key', connected: key !== '', api_key: key }
    : { name, auth_type: 'oauth', connected: false, api_key: null }
}

export type IntegrationField = keyof IntegrationDraft

/** What keeps a draft from being saved (§5.12-§5.14). */
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

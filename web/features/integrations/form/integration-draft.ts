import type { AuthType, Integration, IntegrationInput } from '@yonder/contract/integration'
import { authTypeOf } from '@yonder/contract/integration-names'

/** An integration as its form holds it. */
export interface IntegrationDraft {
  /** Empty until one is selected. */
  readonly name: string
  /** Empty with the name, which decides it (§5.15). */
  readonly authType: AuthType | ''
  /** The stored key's mask until something else is typed; the server takes the mask as "unchanged". */
  readonly apiKey: string
}

/** The draft that a form starts with: of a stored integration, or of a new one. */
export function draftOfIntegration(stored: Integration | undefined): IntegrationDraft {
  return {
    name: stored?.name ?? '',
    authType: stored?.auth_type ?? '',
    apiKey: stored?.api_key ?? '',
  }
}

/** Another one is selected. A key that was typed for the former one is not meant for it. */
export function selectIntegration(name: string): IntegrationDraft {
  return { name, authType: name === '' ? '' : authTypeOf(name), apiKey: '' }
}

/** What is sent: a key connects by itself, a person's consent is still to come (§4.28). */
export function inputOfIntegration({ name, apiKey }: IntegrationDraft): IntegrationInput {
  const key = apiKey.trim()
  return authTypeOf(name) === 'api_key'
    ? { name, auth_type: 'api_key', connected: key !== '', api_key: key }
    : { name, auth_type: 'oauth', connected: false, api_key: null }
}

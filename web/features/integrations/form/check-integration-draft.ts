import type { IntegrationDraft } from './integration-draft.ts'

/** What is wrong with each field, in the order in which they stand. */
export type IntegrationProblems = { readonly [Field in keyof IntegrationDraft]?: string }

/** What keeps a draft from being saved, if anything (§5.12-§5.14). */
export function checkIntegrationDraft({ name, authType, apiKey }: IntegrationDraft): IntegrationProblems {
  return {
    ...(name === '' ? { name: 'Integration name is required' } : {}),
    ...(authType === '' ? { authType: 'Authentication type is required' } : {}),
    ...(authType === 'api_key' && apiKey.trim() === ''
      ? { apiKey: 'API key is required for API Key authentication' }
      : {}),
  }
}

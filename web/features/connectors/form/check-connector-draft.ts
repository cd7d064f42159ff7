import type { ConnectorDraft } from './connector-draft.ts'

/** What is wrong with each field that has to be filled. */
export interface DraftProblems {
  readonly name?: string | undefined
  readonly url?: string | undefined
}

/** What keeps a draft from being saved, if anything; addresses are taken as they are (§5.10). */
export function checkConnectorDraft({ name, url }: ConnectorDraft): DraftProblems {
  return {
    ...(name.trim() === '' ? { name: 'Server name is required' } : {}),
    ...(url.trim() === '' ? { url: 'URL is required' } : {}),
  }
}

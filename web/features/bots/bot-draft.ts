import type { ApiType, Bot, BotInput } from '@yonder/contract/bot'

/** A bot as its form holds it: texts as typed, and which groups of fields are open. */
export interface BotDraft {
  readonly name: string
  readonly model: string
  readonly ownKey: boolean
  readonly baseUrl: string
  /** The stored key's mask until something else is typed; the server takes the mask as "unchanged". */
  readonly apiKey: string
  readonly optional: boolean
  readonly apiType: ApiType | ''
  readonly customApiPath: string
  readonly maxTokens: string
}

const emptyOwnKey = { baseUrl: '', apiKey: '' } as const
const emptyOptional = { apiType: '', customApiPath: '', maxTokens: '' } as const

/** The draft that a form starts with: of a stored bot, or of a new one. */
export function draftOf(bot: Bot | undefined): BotDraft {
  return {
    name: bot?.name ?? '',
    model: bot?.model ?? '',
    ownKey: Boolean(bot?.base_url ?? bot?.api_key),
    baseUrl: bot?.base_url ?? '',
    apiKey: bot?.api_key ?? '',
    optional: Boolean(bot?.api_type ?? bot?.custom_api_path ?? bot?.max_tokens),
    apiType: bot?.api_type ?? '',
    customApiPath: bot?.custom_api_path ?? '',
    maxTokens: bot?.max_tokens?.toString() ?? '',
  }
}

/** Opens or closes the fields of one's own key; closing clears them (§5.7). */
export function toggleOwnKey(draft: BotDraft): BotDraft {
  return draft.ownKey ? { ...draft, ownKey: false, ...emptyOwnKey } : { ...draft, ownKey: true }
}

/** Opens or closes the optional settings; closing clears them (§5.8). */
export function toggleOptional(draft: BotDraft): BotDraft {
  return draft.optional ? { ...draft, optional: false, ...emptyOptional } : { ...draft, optional: true }
}

/** What is sent: every field by name, so that what was cleared here is cleared there. */
export function inputOf(draft: BotDraft): BotInput {
  return {
    name: draft.name.trim(),
    model: draft.model.trim(),
    base_url: draft.baseUrl.trim() || null,
    api_key: draft.apiKey.trim() || null,
    api_type: draft.apiType || null,
    custom_api_path: draft.customApiPath.trim() || null,
    max_tokens: draft.maxTokens === '' ? null : Number(draft.maxTokens),
  }
}

import type { ApiType, Bot, BotInput } from '@yonder/contract/bot'
import type { Problems } from '../../lib/use-form.ts'

/** The state of the bot form: the texts as typed, and which groups of fields are shown. */
export interface BotDraft {
  readonly name: string
  readonly model: string
  readonly ownKey: boolean
  readonly baseUrl: string
  /** The mask of the stored key until the user types another; the server reads the mask as "unchanged". */
  readonly apiKey: string
  readonly optional: boolean
  readonly apiType: ApiType | ''
  readonly customApiPath: string
  readonly maxTokens: string
  readonly connectors: ConnectorChoice
  /** The stored names when the form was opened. */
  readonly connectorsBefore: readonly string[] | null
}

/** Which connectors a bot may use. The chosen names stay while another option is selected. */
export interface ConnectorChoice {
  readonly scope: 'all' | 'chosen' | 'none'
  readonly names: readonly string[]
}

const emptyOwnKey = { baseUrl: '', apiKey: '' } as const
const emptyOptional = {
  apiType: '',
  customApiPath: '',
  maxTokens: '',
  connectors: { scope: 'all', names: [] },
} as const

/** Returns the draft of a stored bot, or an empty one for a new bot. */
export function draftOf(bot: Bot | undefined): BotDraft {
  return {
    name: bot?.name ?? '',
    model: bot?.model ?? '',
    ownKey: Boolean(bot?.base_url ?? bot?.api_key),
    baseUrl: bot?.base_url ?? '',
    apiKey: bot?.api_key ?? '',
    optional: Boolean(bot?.api_type ?? bot?.custom_api_path ?? bot?.max_tokens ?? bot?.connectors),
    apiType: bot?.api_type ?? '',
    customApiPath: bot?.custom_api_path ?? '',
    maxTokens: bot?.max_tokens?.toString() ?? '',
    connectors: choiceOf(bot?.connectors ?? null),
    connectorsBefore: bot?.connectors ?? null,
  }
}

function choiceOf(names: readonly string[] | null): ConnectorChoice {
  if (names === null) return { scope: 'all', names: [] }
  return { scope: names.length === 0 ? 'none' : 'chosen', names }
}

/** Returns the names of the connectors that a bot may use; null means all (§28.1). */
function connectorsOf({ connectors: { scope, names } }: BotDraft): string[] | null {
  if (scope === 'all') return null
  return scope === 'none' ? [] : [...names]
}

/** Shows or hides the fields of the user's own key; hiding clears them (§5.7). */
export function toggleOwnKey(draft: BotDraft): BotDraft {
  return draft.ownKey ? { ...draft, ownKey: false, ...emptyOwnKey } : { ...draft, ownKey: true }
}

/** Shows or hides the optional settings; hiding clears them (§5.8). */
export function toggleOptional(draft: BotDraft): BotDraft {
  return draft.optional ? { ...draft, optional: false, ...emptyOptional } : { ...draft, optional: true }
}

/**
 * Returns the request body. It names every field, so that a field cleared in the form is cleared on the server too. Only
 * unchanged connectors are omitted, since one can have been renamed in another tab meanwhile (§28.5).
 */
export function inputOf(draft: BotDraft): BotInput {
  const connectors = connectorsOf(draft)
  const isSame = JSON.stringify(connectors) === JSON.stringify(draft.connectorsBefore)
  return {
    ...(isSame ? {} : { connectors }),
    name: draft.name.trim(),
    model: draft.model.trim(),
    base_url: draft.baseUrl.trim() || null,
    api_key: draft.apiKey.trim() || null,
    api_type: draft.apiType || null,
    custom_api_path: draft.customApiPath.trim() || null,
    max_tokens: draft.maxTokens === '' ? null : Number(draft.maxTokens),
  }
}

/** The fields that `checkBotDraft` validates. */
export type CheckedField = 'name' | 'model' | 'maxTokens'

const maxMaxTokens = 10_000_000

/**
 * Returns the problems that prevent saving a draft (§5.5, §5.6). `isTokensUnreadable` is true when the number field
 * contains a text that is not a number, such as "1e", for which the browser returns an empty value (§5.4, §8.17).
 */
export function checkBotDraft(draft: BotDraft, isTokensUnreadable: boolean): Problems<CheckedField> {
  const missing = (['name', 'model'] as const).filter((field) => draft[field].trim() === '')
  if (missing.length > 0)
    return Object.fromEntries(missing.map((field) => [field, 'Please fill in all required fields']))
  const tokens = Number(draft.maxTokens)
  const isInRange = Number.isInteger(tokens) && tokens >= 1 && tokens <= maxMaxTokens
  return isTokensUnreadable || (draft.maxTokens !== '' && !isInRange)
    ? { maxTokens: 'Max tokens must be a whole number from 1 to 10,000,000' }
    : {}
}

import type {
  ApiType,
  Bot,
  BotInput,
  EndpointDraft,
  InputChoice,
  ReasoningEffort,
} from '@yonder/contract/bot'
import { botLimits, describeRange, maxInstructionsChars } from '@yonder/contract/lib/bot-limits'
import { formatCount } from '../../lib/format-usage.ts'
import type { Problems } from '../../lib/use-form.ts'

/** The state of the bot form: the texts as typed, and which groups of fields are shown. */
export interface BotDraft {
  readonly name: string
  readonly model: string
  readonly showsOwnKey: boolean
  readonly baseUrl: string
  /** The mask of the stored key until the user types another; the server reads the mask as "unchanged". */
  readonly apiKey: string
  readonly showsOptional: boolean
  readonly instructions: string
  readonly temperature: string
  readonly topP: string
  readonly reasoningEffort: ReasoningEffort | ''
  readonly apiType: ApiType | ''
  readonly customApiPath: string
  readonly maxTokens: string
  readonly contextWindow: string
  readonly images: InputChoice | ''
  readonly pdf: InputChoice | ''
  readonly titleModel: string
  readonly connectors: ConnectorChoice
  /** The stored names when the form was opened; null means all connectors. */
  readonly connectorsBefore: readonly string[] | null
}

/** Which connectors a bot may use. The chosen names stay while another option is selected. */
export interface ConnectorChoice {
  readonly scope: 'all' | 'chosen' | 'none'
  readonly names: readonly string[]
}

/** Returns the draft of a stored bot, or an empty one for a new bot. */
export function draftOf(bot: Bot | undefined): BotDraft {
  const options = {
    instructions: bot?.instructions ?? '',
    temperature: bot?.temperature?.toString() ?? '',
    topP: bot?.top_p?.toString() ?? '',
    reasoningEffort: bot?.reasoning_effort ?? '',
    apiType: bot?.api_type ?? '',
    customApiPath: bot?.custom_api_path ?? '',
    maxTokens: bot?.max_tokens?.toString() ?? '',
    contextWindow: bot?.context_window?.toString() ?? '',
    images: bot?.images ?? '',
    pdf: bot?.pdf ?? '',
    titleModel: bot?.title_model ?? '',
  } as const
  return {
    name: bot?.name ?? '',
    model: bot?.model ?? '',
    showsOwnKey: Boolean(bot?.base_url ?? bot?.api_key),
    baseUrl: bot?.base_url ?? '',
    apiKey: bot?.api_key ?? '',
    showsOptional: Boolean(bot?.connectors) || Object.values(options).some((value) => value !== ''),
    ...options,
    connectors: choiceOf(bot?.connectors ?? null),
    connectorsBefore: bot?.connectors ?? null,
  }
}

function choiceOf(names: readonly string[] | null): ConnectorChoice {
  if (names === null) return { scope: 'all', names: [] }
  return { scope: names.length === 0 ? 'none' : 'chosen', names }
}

/** Returns the names of the connectors that a bot may use; null means all. */
function connectorsOf({ connectors: { scope, names } }: BotDraft): string[] | null {
  if (scope === 'all') return null
  return scope === 'none' ? [] : [...names]
}

/** Shows or hides the fields of the user's own key; hiding clears them. */
export function toggleOwnKey(draft: BotDraft): BotDraft {
  return draft.showsOwnKey
    ? { ...draft, showsOwnKey: false, baseUrl: '', apiKey: '' }
    : { ...draft, showsOwnKey: true }
}

/** Shows or hides the optional settings; hiding clears them. */
export function toggleOptional(draft: BotDraft): BotDraft {
  if (!draft.showsOptional) return { ...draft, showsOptional: true }
  const { name, model, showsOwnKey, baseUrl, apiKey, connectorsBefore } = draft
  return { ...draftOf(undefined), name, model, showsOwnKey, baseUrl, apiKey, connectorsBefore }
}

/** What a click on a model of Ollama fills in. Ollama needs no key and has the default API type. */
export function ollamaDraft(baseUrl: string, model: string): Partial<BotDraft> {
  return { model, showsOwnKey: true, baseUrl, apiKey: '', apiType: '', customApiPath: '' }
}

/**
 * Returns the request body. It names every field, so that a field cleared in the form is cleared on the server too.
 * Only `connectors` is omitted when unchanged, since a connector can have been renamed in another tab.
 */
export function inputOf(draft: BotDraft): BotInput {
  const connectors = connectorsOf(draft)
  const isUnchanged = JSON.stringify(connectors) === JSON.stringify(draft.connectorsBefore)
  return {
    ...(isUnchanged ? {} : { connectors }),
    name: draft.name.trim(),
    model: draft.model.trim(),
    ...addressOf(draft),
    max_tokens: numberOf(draft.maxTokens),
    instructions: draft.instructions.trim() || null,
    temperature: numberOf(draft.temperature),
    top_p: numberOf(draft.topP),
    reasoning_effort: draft.reasoningEffort || null,
    context_window: numberOf(draft.contextWindow),
    images: draft.images || null,
    pdf: draft.pdf || null,
    title_model: draft.titleModel.trim() || null,
  }
}

function addressOf(draft: BotDraft) {
  return {
    base_url: draft.baseUrl.trim() || null,
    api_key: draft.apiKey.trim() || null,
    api_type: draft.apiType || null,
    custom_api_path: draft.customApiPath.trim() || null,
  }
}

function numberOf(text: string): number | null {
  return text === '' ? null : Number(text)
}

/** Returns the address, key and API type of a draft's provider. `stored` is the name of the bot that is edited. */
export function endpointOf(draft: BotDraft, stored: string | undefined): EndpointDraft {
  return { name: stored ?? null, ...addressOf(draft) }
}

/** The settings that are numbers. */
export const numberFields = {
  temperature: { label: 'Temperature', range: botLimits.temperature, kind: 'a number' },
  topP: { label: 'Top-p', range: botLimits.top_p, kind: 'a number' },
  maxTokens: { label: 'Max tokens', range: botLimits.max_tokens, kind: 'a whole number' },
  contextWindow: { label: 'Context window', range: botLimits.context_window, kind: 'a whole number' },
} as const

export type NumberField = keyof typeof numberFields

/** The fields that `checkBotDraft` validates. */
export type CheckedField = 'name' | 'model' | 'instructions' | NumberField

/**
 * Returns the problems that prevent saving a draft. `isUnreadable` is true when a number field
 * contains a text that is not a number, such as "1e", for which the browser returns an empty value.
 */
export function checkBotDraft(
  draft: BotDraft,
  isUnreadable: (field: NumberField) => boolean,
): Problems<CheckedField> {
  const missing = (['name', 'model'] as const).filter((field) => draft[field].trim() === '')
  if (missing.length > 0)
    return Object.fromEntries(missing.map((field) => [field, 'Please fill in all required fields']))
  if (draft.instructions.trim().length > maxInstructionsChars)
    return { instructions: `Instructions must have at most ${formatCount(maxInstructionsChars)} characters` }
  const wrong = (Object.keys(numberFields) as NumberField[]).find(
    (field) => isUnreadable(field) || !isInRange(field, draft[field]),
  )
  if (wrong === undefined) return {}
  const { label, range, kind } = numberFields[wrong]
  return { [wrong]: `${label} ${describeRange(range, kind)}` }
}

function isInRange(field: NumberField, text: string): boolean {
  const { range, kind } = numberFields[field]
  const value = Number(text)
  if (text === '') return true
  return value >= range.min && value <= range.max && (kind === 'a number' || Number.isInteger(value))
}

/** Returns the length of the instructions as they would be saved; an empty text below 90 % of the limit. */
export function describeLength({ instructions }: Pick<BotDraft, 'instructions'>): string {
  const { length } = instructions.trim()
  if (length < 0.9 * maxInstructionsChars) return ''
  return `${formatCount(length)} of ${formatCount(maxInstructionsChars)} characters.`
}

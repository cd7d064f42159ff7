import { z } from 'zod'
import { errorCodes } from './error.ts'
import {
  botLimits,
  describeRange,
  maxInstructionsChars,
  maxModelChars,
  type Range,
} from './lib/bot-limits.ts'
import { resourceName } from './lib/resource-name.ts'

/** The wire formats of a bot's model; a bot without one uses `openai`. */
export const apiTypes = ['openai', 'openai-responses', 'anthropic', 'google'] as const
export type ApiType = (typeof apiTypes)[number]

const optionalText = (maxChars: number) =>
  z
    .string()
    .trim()
    .max(maxChars, `must have at most ${maxChars.toLocaleString('en')} characters`)
    .nullish()

/** Excludes addresses with a user name or password, because the address is displayed. */
const webAddress = /^https?:\/\/[^\s/\\@?#]+([/?#]\S*)?$/i

/** How much a model reasons before it replies. Each provider expresses it in its own way. */
export const reasoningEfforts = ['minimal', 'low', 'medium', 'high'] as const
export type ReasoningEffort = (typeof reasoningEfforts)[number]

/** Whether a model is given pictures, or PDFs as they are. Without a choice, what is known of the model decides. */
export const inputChoices = ['yes', 'no'] as const
export type InputChoice = (typeof inputChoices)[number]

function numberFrom(range: Range) {
  const error = describeRange(range, 'a number')
  return z.number({ error }).min(range.min, { error }).max(range.max, { error }).nullish()
}

function wholeNumberFrom(range: Range) {
  const error = describeRange(range, 'a whole number')
  return z.int({ error }).min(range.min, { error }).max(range.max, { error }).nullish()
}

/** A bot as its owner reads it. `api_key` is a mask, never the key itself. */
export const Bot = z.object({
  name: z.string(),
  model: z.string(),
  base_url: z.string().nullable(),
  api_key: z.string().nullable(),
  api_type: z.enum(apiTypes).nullable(),
  custom_api_path: z.string().nullable(),
  max_tokens: z.int().nullable(),
  /** The system prompt, before its variables are replaced. */
  instructions: z.string().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  reasoning_effort: z.enum(reasoningEfforts).nullish(),
  /** Tokens of prompt and reply together. Null when `known_context_window` is used. */
  context_window: z.int().nullish(),
  /** The window that the operator, else the provider's list, else the catalogue states for the model. Absent when none does. */
  known_context_window: z.int().optional(),
  /** Null when what is known of the model decides. */
  images: z.enum(inputChoices).nullish(),
  pdf: z.enum(inputChoices).nullish(),
  /** The model that writes the titles of its chats. Null when their first message is the title. */
  title_model: z.string().nullish(),
  /** The names of the connectors that the bot may use; null means all of them. */
  connectors: z.array(z.string()).nullish(),
})
export type Bot = z.infer<typeof Bot>

export const BotList = z.array(Bot)

/**
 * The input that creates or updates a bot. Only name and model are required. An absent field keeps the stored
 * value, null or an empty text clears it; an `api_key` equal to the mask keeps the stored key. With another `base_url`,
 * the stored key is removed.
 */
export const BotInput = z.object({
  name: resourceName('Please fill in all required fields'),
  model: z.string().trim().min(1, 'Please fill in all required fields').max(maxModelChars),
  base_url: optionalText(2000).refine(
    (address) => !address || webAddress.test(address),
    'must be a web address such as https://api.example.com/v1',
  ),
  api_key: optionalText(4000),
  api_type: z.enum([...apiTypes, '']).nullish(),
  custom_api_path: optionalText(1000),
  max_tokens: wholeNumberFrom(botLimits.max_tokens),
  instructions: optionalText(maxInstructionsChars),
  temperature: numberFrom(botLimits.temperature),
  top_p: numberFrom(botLimits.top_p),
  reasoning_effort: z
    .enum([...reasoningEfforts, ''], { error: `must be one of ${reasoningEfforts.join(', ')}` })
    .nullish(),
  context_window: wholeNumberFrom(botLimits.context_window),
  images: z.enum([...inputChoices, ''], { error: 'must be yes or no' }).nullish(),
  pdf: z.enum([...inputChoices, ''], { error: 'must be yes or no' }).nullish(),
  title_model: optionalText(maxModelChars),
  connectors: z.array(z.string().trim().min(1).max(200)).max(200).nullish(),
})
export type BotInput = z.infer<typeof BotInput>

/**
 * The address and the key that are entered in the form of a bot, saved or not. `name` is the name of the stored bot
 * that is edited: its key is used when `api_key` is absent or the mask, and only with the address that it belongs to.
 */
export const EndpointDraft = BotInput.pick({
  base_url: true,
  api_key: true,
  api_type: true,
  custom_api_path: true,
}).extend({
  name: z.string().max(200).nullish(),
})
export type EndpointDraft = z.infer<typeof EndpointDraft>

/** The models at the address of a draft: `POST /api/bot/models`. */
export const ModelList = z.object({
  /** Sorted, each once, at most `maxListedModels`. */
  models: z.array(z.string()),
  /** How many further models the provider lists. */
  omitted: z.int().nonnegative(),
  /** One sentence that says why there is no list. */
  problem: z.string().optional(),
})
export type ModelList = z.infer<typeof ModelList>

/** A draft with the models that are tested: `POST /api/bot/test`. */
export const BotTest = EndpointDraft.extend(BotInput.pick({ model: true, title_model: true }).shape)
export type BotTest = z.infer<typeof BotTest>

export const BotTestResult = z.object({
  works: z.boolean(),
  /** One sentence that says what works, or what is wrong and what to do. */
  message: z.string(),
  /** Only when it does not work. */
  code: z.enum(errorCodes).optional(),
})
export type BotTestResult = z.infer<typeof BotTestResult>

/**
 * The models of the Ollama that the server has found; null when there are none: `GET /api/bot/local-models`.
 */
export const LocalModels = z.object({
  local: z.object({ base_url: z.string(), models: z.array(z.string()) }).nullable(),
})
export type LocalModels = z.infer<typeof LocalModels>

import { z } from 'zod'
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

/** Characters of a bot's instructions. */
export const maxInstructionsChars = 50_000

/** The variables that instructions can contain (§23.2). */
export const instructionVariables = ['{{user}}', '{{date}}', '{{time_zone}}'] as const

/** The smallest and the largest value of each number of a bot. */
export const botLimits = {
  max_tokens: { min: 1, max: 10_000_000 },
  temperature: { min: 0, max: 2 },
  top_p: { min: 0, max: 1 },
  context_window: { min: 1_000, max: 100_000_000 },
} as const

interface Range {
  readonly min: number
  readonly max: number
}

/** Describes the numbers that a field accepts, after its name (§23.6). */
export function describeRange({ min, max }: Range, kind: 'a number' | 'a whole number'): string {
  return `must be ${kind} from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}`
}

function numberFrom(range: Range) {
  const error = describeRange(range, 'a number')
  return z.number({ error }).min(range.min, { error }).max(range.max, { error }).nullish()
}

function wholeNumberFrom(range: Range) {
  const error = describeRange(range, 'a whole number')
  return z.int({ error }).min(range.min, { error }).max(range.max, { error }).nullish()
}

/** A bot as its owner reads it (§3.1). `api_key` is a mask, never the key itself (§1.1). */
export const Bot = z.object({
  name: z.string(),
  model: z.string(),
  base_url: z.string().nullable(),
  api_key: z.string().nullable(),
  api_type: z.enum(apiTypes).nullable(),
  custom_api_path: z.string().nullable(),
  max_tokens: z.int().nullable(),
  /** The system prompt, with the variables of the instructions not replaced. */
  instructions: z.string().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  reasoning_effort: z.enum(reasoningEfforts).nullish(),
  /** Tokens of prompt and reply together. Null when it is taken from the catalogue of models. */
  context_window: z.int().nullish(),
  /** The names of the connectors that the bot may use; null means all of them. */
  connectors: z.array(z.string()).nullish(),
})
export type Bot = z.infer<typeof Bot>

export const BotList = z.array(Bot)

/**
 * The input that creates or updates a bot. Only name and model are required (§3.1). An absent field keeps the stored
 * value, null or an empty text clears it; an `api_key` equal to the mask keeps the stored key.
 */
export const BotInput = z.object({
  name: resourceName('Please fill in all required fields'),
  model: z.string().trim().min(1, 'Please fill in all required fields').max(300),
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
  connectors: z.array(z.string().trim().min(1).max(200)).max(200).nullish(),
})
export type BotInput = z.infer<typeof BotInput>

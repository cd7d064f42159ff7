import { z } from 'zod'

/** Wire formats a bot can speak; empty means `openai`. */
export const apiTypes = ['openai', 'anthropic', 'google'] as const
export type ApiType = (typeof apiTypes)[number]

const optionalText = (limit: number) => z.string().trim().max(limit).nullish()

/** Without a user in it: an address is shown, a password is not. */
const webAddress = /^https?:\/\/[^\s/\\@?#]+([/?#]\S*)?$/i

/** These mean "here" and "one up" in an address, so a name in one could not be told from them. */
const isPathStep = (name: string) => name === '.' || name === '..'

/** A bot as its owner reads it (§3.1). `api_key` is a mask, never the key. */
export const Bot = z.object({
  name: z.string(),
  model: z.string(),
  base_url: z.string().nullable(),
  api_key: z.string().nullable(),
  api_type: z.enum(apiTypes).nullable(),
  custom_api_path: z.string().nullable(),
  max_tokens: z.int().nullable(),
})
export type Bot = z.infer<typeof Bot>

export const BotList = z.array(Bot)

/**
 * What creates or updates a bot. Only name and model are required (§3.1). An absent field keeps what is stored, null or
 * empty clears it; an `api_key` equal to the mask keeps the stored key.
 */
export const BotInput = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'Please fill in all required fields')
    .max(200)
    .refine((name) => !isPathStep(name), 'must be more than dots'),
  model: z.string().trim().min(1, 'Please fill in all required fields').max(300),
  base_url: optionalText(2000).refine(
    (address) => !address || webAddress.test(address),
    'must be a web address such as https://api.example.com/v1',
  ),
  api_key: optionalText(4000),
  api_type: z.enum([...apiTypes, '']).nullish(),
  custom_api_path: optionalText(1000),
  max_tokens: z.int().min(1).max(10_000_000).nullish(),
})
export type BotInput = z.infer<typeof BotInput>

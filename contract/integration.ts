import { z } from 'zod'

export const authTypes = ['api_key', 'oauth'] as const

/** A connection to an outside service (§3.14). `api_key` is a mask. */
export const Integration = z.object({
  name: z.string(),
  auth_type: z.enum(authTypes),
  connected: z.boolean(),
  api_key: z.string().nullable(),
})
export type Integration = z.infer<typeof Integration>

export const IntegrationList = z.array(Integration)
export const IntegrationTypes = z.array(z.string())

export const IntegrationInput = z.object({
  name: z.string().trim().min(1, 'Integration name is required').max(200),
  auth_type: z.enum(authTypes, 'Authentication type is required'),
  connected: z.boolean().optional(),
  api_key: z.string().max(4000).nullish(),
})
export type IntegrationInput = z.infer<typeof IntegrationInput>

export const IntegrationAuth = z.object({ authUrl: z.string() })
export const IntegrationCallback = z.object({
  code: z.string().min(1).max(4000),
  state: z.string().max(400).optional(),
})

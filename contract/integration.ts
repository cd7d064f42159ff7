import { z } from 'zod'

export const authTypes = ['api_key', 'oauth'] as const
export type AuthType = (typeof authTypes)[number]

/** A connection to an outside service (§3.14). `api_key` is a mask. */
export const Integration = z.object({
  name: z.string(),
  auth_type: z.enum(authTypes),
  connected: z.boolean(),
  api_key: z.string().nullable(),
  /** A sentence about what its person should know: it has ended and wants to be connected again, or may do less than asked. */
  notice: z.string().nullable(),
})
export type Integration = z.infer<typeof Integration>

export const IntegrationList = z.array(Integration)
export const IntegrationTypes = z.array(z.string())

/**
 * What creates or updates an integration. `connected` is the server's to say; it is read so that a whole integration can be
 * sent back. Of an update, an absent `api_key` or its mask keeps what is stored, null or empty clears it.
 */
export const IntegrationInput = z.object({
  name: z.string().trim().min(1, 'Integration name is required').max(200),
  auth_type: z.enum(authTypes, 'Authentication type is required'),
  connected: z.boolean().optional(),
  api_key: z.string().trim().max(4000).nullish(),
})
export type IntegrationInput = z.infer<typeof IntegrationInput>

export const IntegrationAuth = z.object({ authUrl: z.string() })
export type IntegrationAuth = z.infer<typeof IntegrationAuth>

/** What the browser comes back with. Without `state` nobody knows whose code it is, and it is refused. */
export const IntegrationCallback = z.object({
  code: z.string().min(1).max(4000),
  state: z.string().max(400).optional(),
})
export type IntegrationCallback = z.infer<typeof IntegrationCallback>

import { z } from 'zod'

export const authTypes = ['api_key', 'oauth'] as const
export type AuthType = (typeof authTypes)[number]

/** A connection to an outside service. `api_key` is a mask. */
export const Integration = z.object({
  name: z.string(),
  auth_type: z.enum(authTypes),
  connected: z.boolean(),
  api_key: z.string().nullable(),
  /** A sentence for the user: why the connection cannot be used, or which permissions it lacks. */
  notice: z.string().nullable(),
  /** Why its tools fail although it is connected. Absent while they work, or have not been used. */
  error_message: z.string().optional(),
})
export type Integration = z.infer<typeof Integration>

export const IntegrationList = z.array(Integration)
export const IntegrationTypes = z.array(z.string())

/**
 * The input that creates or updates an integration. The server alone sets `connected`; it is accepted so that a client
 * can send a whole integration back. In an update an absent `api_key` or its mask keeps the stored key, null or an
 * empty text clears it.
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

/** The parameters of the callback. A code without `state` is refused, because it cannot be matched to a user. */
export const IntegrationCallback = z.object({
  code: z.string().min(1).max(4000),
  state: z.string().max(400).optional(),
})
export type IntegrationCallback = z.infer<typeof IntegrationCallback>

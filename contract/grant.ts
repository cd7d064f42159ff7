import { z } from 'zod'
import { ClientId } from './chat.ts'
import { GrantLimits, ToolChange } from './tool-call.ts'

/**
 * What bots may do without asking, or may not do at all: a place on a connector's list of allowed or of blocked tools, or
 * a grant with limits.
 */
export const Grant = z.object({
  id: z.string(),
  permission: z.enum(['allow', 'block']),
  /** The connector by name, its address, and the tool. */
  server: z.string(),
  url: z.string(),
  tool: z.string(),
  title: z.string().nullable(),
  limits: GrantLimits,
  /** The title of the chat in `limits`. */
  chat_title: z.string().optional(),
  /** ISO 8601, UTC; null when it is older than this record. */
  created_at: z.string().nullable(),
  /** When a call was last allowed by it, and how many were. */
  used_at: z.string().nullable(),
  uses: z.int().nonnegative(),
  /**
   * Why it allows nothing any more: its time is over (of the grant, or the longest that the operator allows), the tool has
   * changed (`changes`), is gone, or the operator lets it always ask or has blocked it.
   */
  ended: z.enum(['expired', 'changed', 'gone', 'always_asks', 'blocked_by_operator']).optional(),
  changes: z.array(ToolChange).optional(),
})
export type Grant = z.infer<typeof Grant>

/** `GET /api/grants`: by connector, default ones first, then by tool. */
export const GrantList = z.object({
  grants: z.array(Grant),
  /** The connectors, by name, of which every tool runs without asking, because they have no list of allowed tools. */
  unlimited: z.array(z.string()),
  /** The longest that the operator lets a grant last, in hours; null for no limit. */
  max_hours: z.number().nullable(),
})
export type GrantList = z.infer<typeof GrantList>

/**
 * `POST /api/grants`: allows a tool with limits. At least one is needed; without one, a tool is allowed by its
 * connector's list. An equal grant is renewed.
 */
export const GrantInput = z.object({
  server: z.string().min(1).max(200),
  tool: z.string().min(1).max(200),
  /** The version of the tool that the user saw. If it has another one by now, the request is refused as a conflict. */
  fingerprint: z.string().max(100),
  /** The `credential` of the waiting call, as in `PermissionsInput`. */
  credential: z.string().max(100).optional(),
  bot: z.string().min(1).max(200).optional(),
  chatId: ClientId.optional(),
  /** For how long, in minutes from now. */
  minutes: z.int().min(1).max(525_600).optional(),
  rule: GrantLimits.shape.rule,
})
export type GrantInput = z.infer<typeof GrantInput>

/**
 * The query of `DELETE /api/grants`, which revokes every grant and takes back every `allow`, or those of one connector. All
 * have to be asked for, so that a request that forgets the connector revokes nothing.
 */
export const RevokeQuery = z
  .object({ server: z.string().min(1).max(200).optional(), all: z.literal('true').optional() })
  .refine(({ server, all }) => (server === undefined) !== (all === undefined), {
    path: ['server'],
    message: 'must be given, or "all" in its place',
  })
export const RevokedGrants = z.object({ revoked: z.int().nonnegative() })
export type RevokedGrants = z.infer<typeof RevokedGrants>

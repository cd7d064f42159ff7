import { z } from 'zod'

/** A piece of a tool's result as a person sees it. Texts are plain: whoever shows them makes nothing else of them. */
export const ResultPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  /** A PNG, JPEG, GIF or WebP, which does not travel with its message: `GET /api/chats/{id}/images/{messageId}/{place}`
   * gives it, its place being that in the list of parts, from 0. */
  z.object({ type: z.literal('image'), mimeType: z.string() }),
  /** Opened only by a click. */
  z.object({ type: z.literal('link'), uri: z.string(), name: z.string() }),
  /** JSON, indented. */
  z.object({ type: z.literal('json'), text: z.string() }),
  /** Something that was left out, and why. */
  z.object({ type: z.literal('note'), text: z.string() }),
])
export type ResultPart = z.infer<typeof ResultPart>

/** A picture of a result; `data` is base64. */
export const ResultImage = z.object({ mimeType: z.string(), data: z.string() })
export type ResultImage = z.infer<typeof ResultImage>

/**
 * How a call ended. After `timed_out`, after `interrupted` (the server went down meanwhile), and after a `failed` call
 * that had begun, nobody knows whether the tool did its work: it is never called again by itself. After
 * `authorization_needed` its person connects the connector again.
 */
export const toolOutcomes = [
  'done',
  'tool_error',
  'failed',
  'timed_out',
  'stopped',
  'denied',
  'authorization_needed',
  'interrupted',
] as const
export type ToolOutcomeStatus = (typeof toolOutcomes)[number]

/** One thing in which a tool differs from what was allowed; null where there was nothing. */
export const ToolChange = z.object({
  what: z.enum(['title', 'description', 'input', 'output', 'annotations', 'other']),
  before: z.string().nullable(),
  after: z.string().nullable(),
})
export type ToolChange = z.infer<typeof ToolChange>

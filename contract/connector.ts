import { z } from 'zod'

export const connectorStatuses = ['connected', 'disconnected', 'failed'] as const

/** What a call of a tool would do: run at once, ask first, or ask because the tool is not what was allowed any more. */
export const consents = ['run', 'ask', 'ask_changed'] as const
export type Consent = (typeof consents)[number]

export const ConnectorTool = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  /** Changes with everything that a person who allowed the tool has relied on, the connector's address included. */
  fingerprint: z.string(),
  consent: z.enum(consents),
  /** Why no model is offered this tool; null for a usable one. */
  problem: z.string().nullable(),
})
export type ConnectorTool = z.infer<typeof ConnectorTool>

/** A connector as its owner reads it (§3.12). `token` is a mask. `allow_tools: null` means that nothing asks. */
export const Connector = z.object({
  name: z.string(),
  url: z.string(),
  token: z.string().nullable(),
  /** Our name at its authorization server, where a person has registered us there; the secret is a mask. */
  client_id: z.string().nullable(),
  client_secret: z.string().nullable(),
  status: z.enum(connectorStatuses),
  is_default: z.boolean(),
  error_message: z.string().nullable(),
  /** What was left out of its list of tools, and why. */
  notice: z.string().nullable(),
  allow_tools: z.array(z.string()).nullable(),
  tools: z.array(ConnectorTool),
})
export type Connector = z.infer<typeof Connector>

export const ConnectorList = z.array(Connector)

/** These mean "here" and "one up" in an address, so a name in one could not be told from them. */
const isPathStep = (name: string) => name === '.' || name === '..'

const allowTools = z
  .array(z.string().max(200))
  .max(1000)
  .transform((names) => [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))])

/**
 * What creates or updates a connector. The address is stored as typed: there is no format check (§5.10). Of an update, an
 * absent field keeps what is stored, and so does a `token` equal to the mask. `status` and `is_default` are the server's
 * to say; they are read so that a whole connector can be sent back.
 */
export const ConnectorInput = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'Server name is required')
    .max(200)
    .refine((name) => !isPathStep(name), 'must be more than dots'),
  url: z.string().trim().min(1, 'URL is required').max(2000),
  token: z.string().max(8000).nullish(),
  client_id: z.string().trim().max(2000).nullish(),
  client_secret: z.string().max(8000).nullish(),
  status: z.enum(connectorStatuses).optional(),
  is_default: z.boolean().optional(),
  /** Tools that run without asking (§5.16); null, or never given, means that every tool does. */
  allow_tools: allowTools.nullish(),
  /**
   * The fingerprints of the tools as the person saw them: a name given here is allowed as it is now, also when it was
   * allowed before in another form, and refused as a conflict when it is not what the person saw.
   */
  tool_fingerprints: z.record(z.string().max(200), z.string().max(100)).optional(),
})
export type ConnectorInput = z.infer<typeof ConnectorInput>

/** `POST …/connect`: where the browser comes back to when a person has to give their consent elsewhere. */
export const ConnectInput = z.object({
  return_to: z
    .string()
    .max(200)
    .regex(/^\/(settings\/connectors|chats?\/[\w-]+)$/, 'must be a page of a chat or of the connectors')
    .optional(),
})
export type ConnectInput = z.infer<typeof ConnectInput>

/** With an `authorization_url` the connector is not connected yet: the browser goes there, and comes back connected. */
export const ConnectResult = z.object({
  connector: Connector,
  authorization_url: z.string().nullable(),
})
export type ConnectResult = z.infer<typeof ConnectResult>

/** How a call came to run: a person allowed it once, its tool stood on the list, or nothing asks; or they denied it. */
export const approvals = ['once', 'listed', 'no_list', 'denied'] as const
export type Approval = (typeof approvals)[number]

/** `started` stays where the process died: whether the tool did anything is not known then. */
export const callOutcomes = [
  'started',
  'done',
  'tool_error',
  'failed',
  'timed_out',
  'stopped',
  'denied',
] as const
export type CallOutcome = (typeof callOutcomes)[number]

/** A line of the record of calls. What was sent is told by its hash alone. */
export const ToolCallRecord = z.object({
  id: z.string(),
  connector: z.string(),
  tool: z.string(),
  /** SHA-256 of the arguments as JSON with sorted keys. */
  arguments_hash: z.string(),
  approval: z.enum(approvals),
  outcome: z.enum(callOutcomes),
  /** ISO 8601, UTC. */
  started_at: z.string(),
  /** Milliseconds, without the time in which a person was asked. */
  duration: z.int().nullable(),
  /** Bytes of the result. */
  bytes: z.int().nullable(),
})
export type ToolCallRecord = z.infer<typeof ToolCallRecord>

/** `GET /api/mcp-server/{name}/calls`: the newest first; `next` is the `before` of the following page. */
export const ToolCallList = z.object({ calls: z.array(ToolCallRecord), next: z.string().nullable() })
export type ToolCallList = z.infer<typeof ToolCallList>
export const ToolCallQuery = z.object({
  before: z
    .string()
    .regex(/^\d{1,16}\.[\w-]{1,64}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

/** An entry of Browse Connectors (§3.13). */
export const BrowseServer = z.object({
  name: z.string(),
  title: z.string(),
  author_name: z.string(),
  description: z.string(),
  config_name: z.string(),
  server_url: z.string(),
  uuid: z.string(),
  /** It wants a token that its person brings. */
  needs_token: z.boolean(),
})
export type BrowseServer = z.infer<typeof BrowseServer>

export const BrowseList = z.object({ servers: z.array(BrowseServer) })

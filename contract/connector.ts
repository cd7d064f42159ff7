import { z } from 'zod'
import { resourceName } from './lib/resource-name.ts'
import { approvals } from './tool-call.ts'

export const connectorStatuses = ['connected', 'disconnected', 'failed'] as const

/** Whether a tool runs without approval, needs approval, or needs approval because it has changed. */
export const consents = ['run', 'ask', 'ask_changed'] as const
export type Consent = (typeof consents)[number]

export const ConnectorTool = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  /** A hash of the stored definition of the tool and the address of the connector. */
  fingerprint: z.string(),
  consent: z.enum(consents),
  /** The operator lets the tool ask at every call, or has blocked it. Users cannot change that. */
  operator: z.enum(['asks', 'blocked']).optional(),
  /** Why the tool cannot be used, such as 'the definition of its parameters is too long'; null when it can be used. */
  problem: z.string().nullable(),
})
export type ConnectorTool = z.infer<typeof ConnectorTool>

/**
 * `GET /api/mcp-server/{name}/tools/{tool}`: what a model reads of a tool. The schema is a read of its own,
 * because the schemas of all tools would make the list of connectors megabytes long.
 */
export const ModelTool = z.object({
  /** The version of the tool, as in `ConnectorTool`. */
  fingerprint: z.string(),
  /** The name under which models call the tool. */
  name: z.string(),
  description: z.string(),
  /** The JSON Schema of the parameters, as text; null when no model can be offered the tool. */
  parameters: z.string().nullable(),
  /** The schema as models of Google read it; null when it is the same, or when they cannot be offered the tool. */
  google_parameters: z.string().nullable(),
  /** Whether models are offered the tool now. */
  offered: z.boolean(),
})
export type ModelTool = z.infer<typeof ModelTool>

/**
 * `GET /api/mcp-server/{name}/account`: the account that the calls of an integration's connector use. Null
 * where there is none, or it could not be read.
 */
export const ConnectorAccount = z.object({
  /** An e-mail address. */
  account: z.string().nullable(),
  /** The IANA name of the time zone of the account's calendar. */
  time_zone: z.string().nullable(),
})
export type ConnectorAccount = z.infer<typeof ConnectorAccount>

/**
 * A connector as its owner reads it. `token` is a mask. With `allow_tools: null` every tool that is not blocked
 * runs without approval.
 */
export const Connector = z.object({
  name: z.string(),
  url: z.string(),
  token: z.string().nullable(),
  /** The OAuth client that the user registered at the connector's authorization server; the secret is a mask. */
  client_id: z.string().nullable(),
  client_secret: z.string().nullable(),
  /** The headers of the user's own that its requests have; the values are masks. */
  headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
  status: z.enum(connectorStatuses),
  is_default: z.boolean(),
  error_message: z.string().nullable(),
  /** The tools that were omitted from the list, and the reasons. */
  notice: z.string().nullable(),
  allow_tools: z.array(z.string()).nullable(),
  /** The blocked tools, which are not offered to models and never run. None of them is in `allow_tools`. */
  block_tools: z.array(z.string()).optional(),
  tools: z.array(ConnectorTool),
  /** Seconds for which a tool may be silent before its call times out; null or absent means 60. */
  time_limit: z.int().positive().nullish(),
  /** Whether models that can see are given the pictures of its results. */
  pictures: z.boolean().optional(),
  /**
   * Identifies the connector and its credential, like `credential` of a waiting call. If the two differ, that call will
   * not run.
   */
  credential: z.string().optional(),
})
export type Connector = z.infer<typeof Connector>

export const ConnectorList = z.array(Connector)

/** The length of a list of allowed or of blocked tools. */
export const maxToolNames = 1000
const toolNames = z
  .array(z.string().max(200))
  .max(maxToolNames)
  .overwrite((names) => [...new Set(names.filter((name) => name.trim() !== ''))])

/**
 * The input that creates or updates a connector. The address is stored as typed, without a format check. In an
 * update an absent field keeps the stored value, and so does a `token`, `client_secret` or header equal to its mask; with
 * another `url`, the stored ones are removed. The server alone sets `status` and `is_default`; they are accepted so
 * that a client can send a whole connector back.
 */
export const ConnectorInput = z.object({
  name: resourceName('Server name is required'),
  url: z.string().trim().min(1, 'URL is required').max(2000),
  token: z.string().max(8000).nullish(),
  client_id: z.string().trim().max(2000).nullish(),
  client_secret: z.string().max(8000).nullish(),
  /**
   * Headers that every request to the address has, such as `X-API-Key`, instead of a token or beside it. They replace
   * the stored ones; a value that is the mask of the stored one keeps it. Names that the protocol uses are refused.
   */
  headers: z
    .array(z.object({ name: z.string().trim().min(1).max(100), value: z.string().trim().max(8000) }))
    .max(20)
    .nullish(),
  status: z.enum(connectorStatuses).optional(),
  is_default: z.boolean().optional(),
  /**
   * The tools that run without approval. A name that no tool has exactly is trimmed when it is stored. Null, or
   * absent at creation, means that every tool that is not blocked runs without approval.
   */
  allow_tools: toolNames.nullish(),
  /**
   * The blocked tools, which are not offered to models and never run. Absent keeps the stored list, null empties it.
   * Blocking a tool removes it from the allowed ones; an input that allows a blocked tool is refused.
   */
  block_tools: toolNames.nullish(),
  /**
   * Seconds for which a tool may be silent before its call times out; null means 60. A message of the tool about its
   * progress starts them anew. At most the operator's `MAX_CALL_SECONDS`. Absent keeps the stored value.
   */
  time_limit: z.int().min(1).max(86_400).nullish(),
  /** Whether models that can see are given the pictures of its results. Absent keeps the stored value, at first true. */
  pictures: z.boolean().optional(),
})
export type ConnectorInput = z.infer<typeof ConnectorInput>

/** What a tool gets: it runs without approval, needs approval, or is neither offered to models nor run. */
export const ToolPermission = z.object({
  name: z.string().max(200),
  permission: z.enum(['allow', 'ask', 'block']),
  /** The version of the tool that the user saw. If it has another one by now, the request is refused as a conflict. */
  fingerprint: z.string().max(100).optional(),
  /** Allows the tool although it is blocked. Otherwise this is refused as a conflict. */
  unblock: z.boolean().optional(),
})
export type ToolPermission = z.infer<typeof ToolPermission>
export type Permission = ToolPermission['permission']

/** `PATCH /api/mcp-server/{name}`: changes the permissions of the tools that it names, and of no other. */
export const PermissionsInput = z.object({
  tools: z.array(ToolPermission).max(400),
  /**
   * Whether tools that are neither allowed nor blocked need approval; false is `allow_tools: null`. A change takes back
   * everything that was allowed before.
   */
  asks: z.boolean().optional(),
  /**
   * The `credential` of the waiting call whose tool the user always allows. If the connector has another one by now,
   * the request is refused as a conflict.
   */
  credential: z.string().max(100).optional(),
})
export type PermissionsInput = z.infer<typeof PermissionsInput>

/** The body of `POST …/connect`. */
export const ConnectInput = z.object({
  /** The page to which the browser returns after the consent at another site. */
  return_to: z
    .string()
    .max(200)
    .regex(/^\/(settings\/connectors|chats?\/[\w-]+)$/, 'must be a page of a chat or of the connectors')
    .optional(),
  /** The origins of the authorization server that the user has confirmed. */
  confirmed_origins: z.array(z.string().max(2000)).max(10).optional(),
})
export type ConnectInput = z.infer<typeof ConnectInput>

/**
 * With an `authorization_url` the connector is not connected yet: the browser opens that page to ask for consent.
 */
export const ConnectResult = z.object({
  connector: Connector,
  authorization_url: z.string().nullable(),
  /** Origins to show to the user. The connection continues when they are sent as `confirmed_origins`. */
  origins_to_confirm: z.array(z.string()).optional(),
})
export type ConnectResult = z.infer<typeof ConnectResult>

/** The outcome stays `started` when the call was interrupted. The tool may or may not have finished then. */
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

/** An entry in the record of tool calls. Of the arguments, it contains only a hash. */
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
  /** Milliseconds, excluding the time spent waiting for the user. */
  duration: z.int().nullable(),
  /** Bytes of the result. */
  bytes: z.int().nullable(),
  /** The chat and its title; null when the chat was deleted. */
  chat_id: z.string().nullable(),
  chat_title: z.string().nullable(),
  /** The reply that made the call; null for calls of earlier versions. */
  message_id: z.string().nullable(),
  /** ISO 8601, UTC: when the user decided, or the call expired. Null for a call that needed no decision. */
  decided_at: z.string().nullable(),
  /** As `on` of `CallDecision`. */
  decided_on: z.string().nullable(),
  /** Whether the user changed the arguments before allowing the call. */
  edited: z.boolean(),
  /** The grant that allowed the call, even if it was revoked since. Null with another `approval` than `granted`. */
  grant_id: z.string().nullable(),
})
export type ToolCallRecord = z.infer<typeof ToolCallRecord>

/**
 * `GET /api/mcp-server/{name}/calls`, newest first by the start; `GET /api/tool-calls`, which has the calls that were
 * decided in the last 90 days, newest first by the decision; `next` is the `before` of the following page. */
export const ToolCallList = z.object({ calls: z.array(ToolCallRecord), next: z.string().nullable() })
export type ToolCallList = z.infer<typeof ToolCallList>
export const ToolCallQuery = z.object({
  before: z
    .string()
    .regex(/^\d{1,16}\.[\w-]{1,64}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

/** An entry of Browse Connectors. */
export const BrowseServer = z.object({
  name: z.string(),
  title: z.string(),
  author_name: z.string(),
  description: z.string(),
  config_name: z.string(),
  server_url: z.string(),
  uuid: z.string(),
  /** The user has to provide a token. */
  needs_token: z.boolean(),
  /** Headers besides the token that the user has to provide, with the value if everyone sends the same. */
  headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
})
export type BrowseServer = z.infer<typeof BrowseServer>

export const BrowseList = z.object({ servers: z.array(BrowseServer) })

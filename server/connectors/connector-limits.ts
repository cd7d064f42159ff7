import { maxOfferedTools } from '@yonder/contract/describe-left-out'

/** Limits for each server, each user and the process. */
export interface ConnectorLimits {
  /** Includes the request that finds out the server's protocol revision. */
  readonly connectTimeoutMs: number
  readonly listPageTimeoutMs: number
  readonly listTimeoutMs: number
  readonly maxListPages: number
  /** Bytes of the responses while connecting. */
  readonly maxConnectBytes: number
  /** Bytes of all pages of a list. Far above `maxSchemaChars`, so that a huge schema makes only its tool unusable. */
  readonly maxListBytes: number
  /** Time of a call without progress. */
  readonly maxCallIdleMs: number
  /** Time of the whole call, without the time spent waiting for the user. */
  readonly maxCallMs: number
  readonly maxCallBytes: number
  /** Size of a response of an authorization server. */
  readonly maxOAuthBytes: number
  /** How long an idle connection stays open. */
  readonly maxIdleMs: number
  /** Time before a broken stream is opened again, even if its server requests a shorter time. */
  readonly minReconnectMs: number
  readonly maxReconnects: number
  /** Time of one step of an authorization, with all its requests; shorter than the lease of a refresh. */
  readonly maxAuthorizationMs: number
  /**
   * How often a server may require authorization while a connection is opened, and during each later call or list.
   * After that, it counts as refusing access.
   */
  readonly maxAuthorizations: number
  readonly maxTools: number
  readonly maxToolNameChars: number
  readonly maxDescriptionChars: number
  readonly maxSchemaChars: number
  /** Nested objects in a schema of parameters. */
  readonly maxSchemaDepth: number
  readonly maxConnectorsPerUser: number
  readonly maxToolsPerRequest: number
  /** Characters of the names, descriptions and parameters of all tools of a request: about 60,000 tokens. */
  readonly maxToolCharsPerRequest: number
  readonly maxCallsPerConnector: number
  readonly maxCallsPerUser: number
  readonly maxCallsPerHost: number
  /** Characters of a result that a model gets. */
  readonly maxResultChars: number
  readonly maxImages: number
  readonly maxImageBytes: number
  /** Elicitations of one call. A call is also sent again at most as many times. */
  readonly maxElicitations: number
  readonly maxElicitationFields: number
  /** How long the user may take to answer an elicitation. */
  readonly maxElicitationMs: number
  /**
   * How long a list of tools is fresh when the server sends no lifetime; the next two limit the server's value. Also
   * how long the discovery result of a server with a modern protocol revision is used.
   */
  readonly toolListTtlMs: number
  readonly minToolListTtlMs: number
  readonly maxToolListTtlMs: number
  /** How long a reply, or a request for the connectors, waits for lists of tools from remote servers. */
  readonly maxToolListWaitMs: number
  /** Pauses between the refreshes of a list whose server announces changes. */
  readonly minAnnouncedPauseMs: number
  /** Longer than `maxIdleMs`, so that the connection of a server that never stops announcing is closed. */
  readonly maxAnnouncedPauseMs: number
  /** How long a server is remembered as one with a legacy protocol revision. */
  readonly legacyEraTtlMs: number
  /** Idle connections of one process. */
  readonly maxIdleConnections: number
}

const second = 1_000
const minute = 60 * second
const kilobyte = 1_024
const megabyte = 1_024 * kilobyte

export const connectorLimits: ConnectorLimits = {
  connectTimeoutMs: 15 * second,
  listPageTimeoutMs: 15 * second,
  listTimeoutMs: 30 * second,
  maxListPages: 20,
  maxConnectBytes: 2 * megabyte,
  maxListBytes: 8 * megabyte,
  maxCallIdleMs: 60 * second,
  maxCallMs: 300 * second,
  maxCallBytes: 4 * megabyte,
  maxOAuthBytes: 256 * kilobyte,
  maxIdleMs: 5 * minute,
  minReconnectMs: second,
  maxReconnects: 3,
  maxAuthorizationMs: 25 * second,
  maxAuthorizations: 3,
  maxTools: 200,
  maxToolNameChars: 128,
  maxDescriptionChars: 4_096,
  maxSchemaChars: 32_768,
  maxSchemaDepth: 16,
  maxConnectorsPerUser: 20,
  maxToolsPerRequest: maxOfferedTools,
  maxToolCharsPerRequest: 250_000,
  maxCallsPerConnector: 4,
  maxCallsPerUser: 8,
  maxCallsPerHost: 64,
  maxResultChars: 100_000,
  maxImages: 5,
  maxImageBytes: 5 * megabyte,
  maxElicitations: 5,
  maxElicitationFields: 32,
  maxElicitationMs: 10 * minute,
  toolListTtlMs: 10 * minute,
  minToolListTtlMs: 30 * second,
  maxToolListTtlMs: 24 * 60 * minute,
  maxToolListWaitMs: 3 * second,
  minAnnouncedPauseMs: 200,
  maxAnnouncedPauseMs: 10 * minute,
  legacyEraTtlMs: 24 * 60 * minute,
  maxIdleConnections: 500,
}

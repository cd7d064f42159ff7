import { maxOfferedTools } from '@yonder/contract/describe-left-out'

const second = 1_000
const minute = 60 * second
const kilobyte = 1_024
const megabyte = 1_024 * kilobyte

/** Limits for each server, each user and the process. */
export const connectorLimits = {
  /** Includes the request that finds out the server's protocol revision. */
  connectTimeoutMs: 15 * second,
  listPageTimeoutMs: 15 * second,
  listTimeoutMs: 30 * second,
  maxListPages: 20,
  /** Bytes of the responses while connecting. */
  maxConnectBytes: 2 * megabyte,
  /** Bytes of all pages of a list. Far above `maxSchemaChars`, so that a huge schema makes only its tool unusable. */
  maxListBytes: 8 * megabyte,
  /** Time of a call without progress, unless its connector has another limit. */
  maxCallIdleMs: 60 * second,
  /** Time of the whole call, without the time spent waiting for the user. */
  maxCallMs: 30 * minute,
  /** Bytes of the responses to a call: a file of 10 MB has 13.4 as base64. */
  maxCallBytes: 16 * megabyte,
  /** Size of a response of an authorization server. */
  maxOAuthBytes: 256 * kilobyte,
  /** Time of one request to an authorization server; leaves time for the next server when one does not respond. */
  maxOAuthRequestMs: 10 * second,
  /** How long an idle connection stays open. */
  maxIdleMs: 5 * minute,
  /** Time before a broken stream is opened again, even if its server requests a shorter time. */
  minReconnectMs: second,
  maxReconnects: 3,
  /** Time of one step of an authorization, with all its requests; shorter than the lease of a refresh. */
  maxAuthorizationMs: 25 * second,
  /**
   * How often a server may require authorization while a connection is opened, and during each later call or list.
   * After that, it counts as refusing access.
   */
  maxAuthorizations: 3,
  maxTools: 200,
  maxToolNameChars: 128,
  maxDescriptionChars: 4_096,
  maxSchemaChars: 32_768,
  /** Nested objects in a schema of parameters. */
  maxSchemaDepth: 16,
  maxConnectorsPerUser: 20,
  maxToolsPerRequest: maxOfferedTools,
  /** Characters of the names, descriptions and parameters of all tools of a request: about 60,000 tokens. */
  maxToolCharsPerRequest: 250_000,
  maxCallsPerConnector: 4,
  maxCallsPerUser: 8,
  maxCallsPerHost: 64,
  /** Characters of a result that a model gets. */
  maxResultChars: 100_000,
  /** Files of a result that are kept, and the size of each. */
  maxFiles: 10,
  maxFileBytes: 10_000_000,
  /** Elicitations of one call. A call is also sent again at most as many times. */
  maxElicitations: 5,
  maxElicitationFields: 32,
  /** How long the user may take to answer an elicitation. */
  maxElicitationMs: 10 * minute,
  /**
   * How long a list of tools is fresh when the server sends no lifetime; the next two limit the server's value. Also
   * how long the discovery result of a server with a modern protocol revision is used.
   */
  toolListTtlMs: 10 * minute,
  minToolListTtlMs: 30 * second,
  maxToolListTtlMs: 24 * 60 * minute,
  /** How long a reply, or a request for the connectors, waits for lists of tools from remote servers. */
  maxToolListWaitMs: 3 * second,
  /** How old the list of tools may be, by the time of its request, when an approved or allowed call starts. */
  maxDefinitionAgeMs: 5 * second,
  /** How long such a call waits for a newer list. */
  maxDefinitionWaitMs: 5 * second,
  /** Grants with limits. */
  maxGrantsPerUser: 500,
  /** Pauses between the refreshes of a list whose server announces changes. */
  minAnnouncedPauseMs: 200,
  /** Longer than `maxIdleMs`, so that the connection of a server that never stops announcing is closed. */
  maxAnnouncedPauseMs: 10 * minute,
  /** How long a server is remembered as one with a legacy protocol revision. */
  legacyEraTtlMs: 24 * 60 * minute,
  /** Idle connections of one process, without the sessions of chats. */
  maxIdleConnections: 500,
  /** Sessions that chats keep at servers. Beyond this, the one that was unused longest is closed. */
  maxSessionsPerUser: 32,
  maxSessions: 2_000,
  /** Bytes that a server may send in a minute while no request is pending. */
  maxIdleBytes: megabyte,
  /** How long the next request waits for the cancellation of an aborted one to reach the server. */
  maxCancelMs: 2 * second,
}

export type ConnectorLimits = Readonly<typeof connectorLimits>

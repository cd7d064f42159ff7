/** What one server, one person and one process may use. Times are milliseconds, sizes bytes unless a name says characters. */
export interface ConnectorLimits {
  /** Until a server has answered the first request, the probe of its revision included. */
  readonly connectTimeoutMs: number
  readonly listPageTimeoutMs: number
  readonly listTimeoutMs: number
  readonly maxListPages: number
  readonly maxListBytes: number
  /** Between two signs of life of a call: its answer, or a progress note. */
  readonly maxCallIdleMs: number
  /** The whole call, without the time in which a person is asked. */
  readonly maxCallMs: number
  readonly maxCallBytes: number
  /** Open authorization documents. */
  readonly maxOAuthBytes: number
  /** How long an idle connection to a legacy server is kept. */
  readonly maxIdleMs: number
  /** The shortest wait before a broken stream is opened again, whatever its server asks for. */
  readonly minReconnectMs: number
  readonly maxReconnects: number
  /** How often a person is sent to consent by one request before it counts as refused. */
  readonly maxAuthorizations: number
  readonly maxTools: number
  readonly maxToolNameChars: number
  readonly maxDescriptionChars: number
  readonly maxSchemaChars: number
  /** Objects inside of one another in a schema of parameters. */
  readonly maxSchemaDepth: number
  readonly maxConnectorsPerUser: number
  readonly maxToolsPerRequest: number
  readonly maxCallsPerConnector: number
  readonly maxCallsPerUser: number
  readonly maxCallsPerHost: number
  /** Characters of a result that a model reads. */
  readonly maxResultChars: number
  readonly maxImages: number
  readonly maxImageBytes: number
  readonly maxElicitationRounds: number
  readonly maxElicitationFields: number
  /** How long a person may take to answer. */
  readonly maxElicitationMs: number
  /** How long a list of tools counts as fresh: without a word of the server, at least, at most. */
  readonly toolListTtlMs: number
  readonly minToolListTtlMs: number
  readonly maxToolListTtlMs: number
  /** How long a reply waits for lists that are asked for again; what was known before is used meanwhile. */
  readonly maxToolListWaitMs: number
  /** How long a server is believed to speak the old protocol. */
  readonly legacyEraTtlMs: number
  /** Connections to legacy servers of one process. */
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
  maxListBytes: 2 * megabyte,
  maxCallIdleMs: 60 * second,
  maxCallMs: 300 * second,
  maxCallBytes: 4 * megabyte,
  maxOAuthBytes: 256 * kilobyte,
  maxIdleMs: 5 * minute,
  minReconnectMs: second,
  maxReconnects: 3,
  maxAuthorizations: 3,
  maxTools: 200,
  maxToolNameChars: 128,
  maxDescriptionChars: 4_096,
  maxSchemaChars: 32 * kilobyte,
  maxSchemaDepth: 16,
  maxConnectorsPerUser: 20,
  maxToolsPerRequest: 128,
  maxCallsPerConnector: 4,
  maxCallsPerUser: 8,
  maxCallsPerHost: 64,
  maxResultChars: 100_000,
  maxImages: 5,
  maxImageBytes: 5 * megabyte,
  maxElicitationRounds: 5,
  maxElicitationFields: 32,
  maxElicitationMs: 10 * minute,
  toolListTtlMs: 10 * minute,
  minToolListTtlMs: 30 * second,
  maxToolListTtlMs: 24 * 60 * minute,
  maxToolListWaitMs: 3 * second,
  legacyEraTtlMs: 24 * 60 * minute,
  maxIdleConnections: 500,
}

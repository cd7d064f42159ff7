/** What one server, one user and one process may use. */
export interface ConnectorLimits {
  /** Includes the probe of the server's protocol revision. */
  readonly connectTimeoutMs: number
  readonly listPageTimeoutMs: number
  readonly listTimeoutMs: number
  readonly maxListPages: number
  readonly maxListBytes: number
  /** Between two messages of a call: progress, or the result. */
  readonly maxCallIdleMs: number
  /** The whole call, without the time spent waiting for the user. */
  readonly maxCallMs: number
  readonly maxCallBytes: number
  /** Documents of authorization servers. */
  readonly maxOAuthBytes: number
  /** How long an idle connection is kept. */
  readonly maxIdleMs: number
  /** Before a broken stream is opened again, whatever its server asks for. */
  readonly minReconnectMs: number
  readonly maxReconnects: number
  /** Authorization attempts of one request before it counts as refused. */
  readonly maxAuthorizations: number
  readonly maxTools: number
  readonly maxToolNameChars: number
  readonly maxDescriptionChars: number
  readonly maxSchemaChars: number
  /** Nested objects in a schema of parameters. */
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
  /** How long the user may take to answer an elicitation. */
  readonly maxElicitationMs: number
  /** How long a list of tools counts as fresh: when the server does not say, at least, at most. */
  readonly toolListTtlMs: number
  readonly minToolListTtlMs: number
  readonly maxToolListTtlMs: number
  /** How long a reply waits for lists that are refreshed; after that the stored ones are used. */
  readonly maxToolListWaitMs: number
  /** How long a server counts as one of the legacy era. */
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

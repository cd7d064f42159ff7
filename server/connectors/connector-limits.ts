/** What one server, one person and one process may use. Times are milliseconds, sizes bytes unless a name says characters. */
export interface ConnectorLimits {
  /** Until a server has answered the first request, the probe of its revision included. */
  readonly connect: number
  readonly listPage: number
  readonly list: number
  readonly listPages: number
  readonly listBytes: number
  /** Between two signs of life of a call: its answer, or a progress note. */
  readonly callIdle: number
  /** The whole call, without the time in which a person is asked. */
  readonly call: number
  readonly callBytes: number
  /** Open authorization documents. */
  readonly oauthBytes: number
  /** How long an idle connection to a legacy server is kept. */
  readonly idle: number
  /** The shortest wait before a broken stream is opened again, whatever its server asks for. */
  readonly reconnect: number
  readonly reconnects: number
  /** How often a person is sent to consent by one request before it counts as refused. */
  readonly authorizations: number
  readonly tools: number
  readonly toolNameChars: number
  readonly descriptionChars: number
  readonly schemaChars: number
  /** Objects inside of one another in a schema of parameters. */
  readonly schemaDepth: number
  readonly connectorsPerUser: number
  readonly toolsPerRequest: number
  readonly callsPerConnector: number
  readonly callsPerUser: number
  readonly callsPerHost: number
  /** Characters of a result that a model reads. */
  readonly resultChars: number
  readonly images: number
  readonly imageBytes: number
  readonly elicitationRounds: number
  readonly elicitationFields: number
  /** How long a person may take to answer. */
  readonly elicitation: number
  /** How long a list of tools counts as fresh: without a word of the server, at least, at most. */
  readonly toolsFresh: number
  readonly toolsFreshMin: number
  readonly toolsFreshMax: number
  /** How long a reply waits for lists that are asked for again; what was known before is used meanwhile. */
  readonly toolsWait: number
  /** How long a server is believed to speak the old protocol. */
  readonly legacyVerdict: number
  /** Connections to legacy servers of one process. */
  readonly pooled: number
}

const second = 1_000
const minute = 60 * second
const kilobyte = 1_024
const megabyte = 1_024 * kilobyte

export const connectorLimits: ConnectorLimits = {
  connect: 15 * second,
  listPage: 15 * second,
  list: 30 * second,
  listPages: 20,
  listBytes: 2 * megabyte,
  callIdle: 60 * second,
  call: 300 * second,
  callBytes: 4 * megabyte,
  oauthBytes: 256 * kilobyte,
  idle: 5 * minute,
  reconnect: second,
  reconnects: 3,
  authorizations: 3,
  tools: 200,
  toolNameChars: 128,
  descriptionChars: 4_096,
  schemaChars: 32 * kilobyte,
  schemaDepth: 16,
  connectorsPerUser: 20,
  toolsPerRequest: 128,
  callsPerConnector: 4,
  callsPerUser: 8,
  callsPerHost: 64,
  resultChars: 100_000,
  images: 5,
  imageBytes: 5 * megabyte,
  elicitationRounds: 5,
  elicitationFields: 32,
  elicitation: 10 * minute,
  toolsFresh: 10 * minute,
  toolsFreshMin: 30 * second,
  toolsFreshMax: 24 * 60 * minute,
  toolsWait: 3 * second,
  legacyVerdict: 24 * 60 * minute,
  pooled: 500,
}

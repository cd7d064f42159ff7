import type { McpServer } from '@modelcontextprotocol/server'
import type { ConnectorAccount } from '@yonder/contract/connector'

/** Identifies the account or API key that a request may use, by its user and the version of the integration. */
export interface IntegrationAccount {
  readonly userId: string
  /** The version of the integration. Incremented when the user connects it, disconnects it or changes its key. */
  readonly version: number
}

/**
 * The key in `_meta` of a tool's result. With the value true, the user has to connect the account again. It counts
 * only in the results of servers in this process.
 */
export const needsSignInKey = 'yonder/needs_sign_in'

/** The MCP server of a connector that runs in this process. */
export interface InProcessServer {
  readonly kind: 'in_process'
  /** Creates the server for one MCP session. Its calls fail once the integration has another version than `account`. */
  readonly create: (account: IntegrationAccount) => Promise<McpServer>
}

/** The MCP server of a connector at another host. */
export interface RemoteServer {
  readonly kind: 'remote'
  readonly address: URL
  /** Sends a request with the user's stored key. Rejects when the integration has another version than `account`. */
  readonly fetch: (account: IntegrationAccount, request: Request) => Promise<Response>
}

/** The connector of an integration: an MCP server for the users who have connected the integration. */
export interface IntegrationConnector {
  /** The integration's name. */
  readonly integration: string
  /** Shown to users. */
  readonly name: string
  /** Identifies the connector in lists and stored approvals. */
  readonly url: string
  /**
   * Becomes the prefix of the connector's tools in the names that models use, such as `gmail` in
   * `gmail__send_message`.
   */
  readonly slug: string
  /** Whether tools that only read run without approval until the user changes the allow list. */
  readonly allowsReading?: boolean
  readonly server: InProcessServer | RemoteServer
  /** Reads which account the calls use, and its time zone. May reject. Default: both are unknown. */
  readonly readAccount?: (userId: string) => Promise<ConnectorAccount>
}

import type { ConnectorAccount } from '@yonder/contract/connector'
import type { McpServer } from '@modelcontextprotocol/server'

/** The account whose credentials a request may use. */
export interface IntegrationAccount {
  readonly userId: string
  /** The version of the integration; with another one, the user may have connected another account. */
  readonly version: number
}

/**
 * In `_meta` of a result: the account has to be connected again. Only the results of servers in this process may say so.
 */
export const needsSignInKey = 'yonder/needs_sign_in'

/** The MCP server of a connector that runs in this process. */
export interface InProcessServer {
  readonly kind: 'in_process'
  /** Creates the server for one MCP session of a user. Its calls fail once the integration has another version. */
  readonly create: (account: IntegrationAccount) => Promise<McpServer>
}

/** The MCP server of a connector at another host. */
export interface RemoteServer {
  readonly kind: 'remote'
  readonly address: URL
  /** Sends a request with the stored credentials of the user, unless the integration has another version by now. */
  readonly fetch: (account: IntegrationAccount, request: Request) => Promise<Response>
}

/** The connector of an integration: an MCP server for the users who have connected the integration (§19.1). */
export interface IntegrationConnector {
  /** The integration's name. */
  readonly integration: string
  /** Shown to users. */
  readonly name: string
  /** Identifies the connector in lists and stored approvals. */
  readonly url: string
  readonly slug: string
  /** Tools that run without approval until the user changes the allow list. Default: none. */
  readonly initiallyAllowedTools?: readonly string[]
  readonly server: InProcessServer | RemoteServer
  /** Reads which account the calls use. May reject. Default: the account is unknown. */
  readonly readAccount?: (userId: string) => Promise<ConnectorAccount>
}

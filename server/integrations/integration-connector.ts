import type { McpServer } from '@modelcontextprotocol/server'

/** An MCP server in this process. */
export interface InProcessServer {
  readonly kind: 'in_process'
  /** Creates the server of one session of a user. */
  readonly create: (userId: string) => Promise<McpServer>
}

/** A hosted MCP server. */
export interface RemoteServer {
  readonly kind: 'remote'
  readonly address: URL
  /** Sends a request of a user, with the credentials that they stored. */
  readonly fetch: (userId: string, request: Request) => Promise<Response>
}

/** A connector that an integration brings along: a real MCP server, for every user who has connected the integration. */
export interface IntegrationConnector {
  /** The integration's name. */
  readonly integration: string
  /** As users see it. */
  readonly name: string
  /** Identifies it in the list and keys the allowed tools. */
  readonly url: string
  readonly slug: string
  /** Tools that run without approval until the user chooses otherwise. Absent: none. */
  readonly initialTools?: readonly string[]
  readonly server: InProcessServer | RemoteServer
}

/** A connector that an integration brings along: a real MCP server, there for whoever has connected the integration. */
export interface IntegrationConnector {
  /** The integration's name. */
  readonly integration: string
  /** As people see it. */
  readonly name: string
  /** Names it in the list and keys what was allowed. */
  readonly url: string
  readonly slug: string
  /** Tools that run without asking from the beginning, for whoever has not chosen otherwise. Absent: none. */
  readonly initialTools?: readonly string[]
  /** Where requests go that leave the process; absent for a server in this process. */
  readonly address?: URL
  /** Answers one request of a person. */
  readonly fetch: (userId: string, request: Request) => Promise<Response>
}

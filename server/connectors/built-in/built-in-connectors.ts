import { defaultConnectorName } from '../connector-policy.ts'

/** A connector that the product brings along: a real MCP server, reached by a fetch that never leaves the process. */
export interface BuiltInConnector {
  readonly name: string
  /** Names it in the list and keys what was allowed; nothing is looked up under it. */
  readonly url: string
  readonly slug: string
  /** Answers one request of a person. */
  readonly fetch: (userId: string, request: Request) => Promise<Response>
}

export interface BuiltInConnectors {
  /** In the order in which people see them. */
  readonly list: readonly BuiltInConnector[]
  find(url: string): BuiltInConnector | undefined
}

/** `more` are those of other domains. */
export function createBuiltInConnectors(
  now: () => number,
  more: readonly BuiltInConnector[] = [],
): BuiltInConnectors {
  const list: BuiltInConnector[] = [
    {
      name: defaultConnectorName,
      url: 'builtin://default',
      slug: 'default',
      fetch: async (_userId, request) => {
        const { answerAsDefault } = await import('./answer-as-default.ts')
        return answerAsDefault(request, now)
      },
    },
    ...more,
  ]
  return { list, find: (url) => list.find((connector) => connector.url === url) }
}

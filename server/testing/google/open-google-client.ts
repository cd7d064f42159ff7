import { Client } from '@modelcontextprotocol/client'
import { AppError } from '../../lib/app-error.ts'
import { googleScopes } from '../../integrations/oauth/google-scopes.ts'
import type { GoogleApiDeps } from '../../integrations/google/api-client.ts'
import type { GoogleLimits } from '../../integrations/google/google-limits.ts'
import { googleLimits } from '../../integrations/google/google-limits.ts'
import type { IntegrationConnector } from '../../integrations/integration-connector.ts'
import { openInProcessTransport } from '../../connectors/mcp/in-process-transport.ts'
import type { ApiStandIn } from './api-stand-in.ts'

export interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
}

export interface GoogleTestClient {
  readonly client: Client
  call(tool: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<ToolAnswer>
  /** Tokens that Google refuses from now on. */
  readonly refused: Set<string>
  /** How often access was asked for. */
  readonly asked: { readonly refused: string | undefined }[]
  close(): Promise<void>
}

/** The account that every test of one connector uses. */
export const testAccount = 'ben@example.com'

const quick: GoogleLimits = { ...googleLimits, retryDelay: 1, longestDelay: 50, attempt: 2_000 }

/** A connector as the product reaches it, over MCP in this process, with an API of Google behind it. */
export async function openGoogleClient(
  create: (deps: GoogleApiDeps, limits: GoogleLimits) => IntegrationConnector,
  api: ApiStandIn,
  options: { scopes?: ReadonlySet<string>; now?: () => number; limits?: Partial<GoogleLimits> } = {},
): Promise<GoogleTestClient> {
  const scopes =
    options.scopes ?? new Set(Object.values(googleScopes).flatMap((all) => all.map(({ scope }) => scope)))
  const refused = new Set<string>()
  const asked: { refused: string | undefined }[] = []
  let tokens = 0
  const connector = create(
    {
      findAccess: (_userId, _name, access = {}) => {
        asked.push({ refused: access.refused })
        if (access.refused !== undefined) tokens++
        if (tokens > 1) return Promise.reject(new AppError('not_connected', 'Connect the account again.'))
        return Promise.resolve({ token: `token-${tokens}`, scopes })
      },
      fetch: async (input, init) => {
        const request = new Request(input, init)
        const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
        if (refused.has(token)) return new Response('{"error":{"code":401}}', { status: 401 })
        const aborted = new Promise<never>((_resolve, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason as Error))
        })
        const answer = await Promise.race([api.answer(request, { account: testAccount, scopes }), aborted])
        if (answer.type === 'error') throw new TypeError('fetch failed')
        return answer
      },
      apiUrls: { gmail: 'http://google.invalid', calendar: 'http://google.invalid' },
      now: options.now ?? Date.now,
    },
    { ...quick, ...options.limits },
  )
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const { server } = connector
  if (server.kind !== 'in_process') throw new Error(`${connector.name} is not in this process.`)
  await client.connect(openInProcessTransport(() => server.create('user')))
  return {
    client,
    refused,
    asked,
    async call(name, input, signal) {
      const result = await client.callTool({ name, arguments: input }, signal === undefined ? {} : { signal })
      const content = result.content as readonly { readonly text?: string }[]
      return { text: content.map(({ text }) => text ?? '').join('\n'), isError: result.isError === true }
    },
    close: () => client.close(),
  }
}

import { Client } from '@modelcontextprotocol/client'
import { AppError } from '../../lib/app-error.ts'
import { googleScopes } from '../../integrations/oauth/scopes.ts'
import type { GoogleApiDeps } from '../../integrations/google/api-client.ts'
import type { GoogleLimits } from '../../integrations/google/retry.ts'
import { googleLimits } from '../../integrations/google/retry.ts'
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
  readonly rejectedTokens: Set<string>
  /** How often access was asked for. */
  readonly accessRequests: { readonly rejectedToken: string | undefined }[]
  close(): Promise<void>
}

/** The account that every test of one connector uses. */
export const testAccount = 'ben@example.com'

const quick: GoogleLimits = { ...googleLimits, retryDelayMs: 1, maxRetryDelayMs: 50, attemptTimeoutMs: 2_000 }

/** A connector as the product reaches it, over MCP in this process, with an API of Google behind it. */
export async function openGoogleClient(
  create: (deps: GoogleApiDeps, limits: GoogleLimits) => IntegrationConnector,
  api: ApiStandIn,
  options: { scopes?: ReadonlySet<string>; now?: () => number; limits?: Partial<GoogleLimits> } = {},
): Promise<GoogleTestClient> {
  const scopes =
    options.scopes ?? new Set(Object.values(googleScopes).flatMap((all) => all.map(({ scope }) => scope)))
  const rejectedTokens = new Set<string>()
  const accessRequests: { rejectedToken: string | undefined }[] = []
  let tokens = 0
  const connector = create(
    {
      findAccess: (_userId, _name, access = {}) => {
        accessRequests.push({ rejectedToken: access.rejectedToken })
        if (access.rejectedToken !== undefined) tokens++
        if (tokens > 1) return Promise.reject(new AppError('not_connected', 'Connect the account again.'))
        return Promise.resolve({ token: `token-${tokens}`, scopes })
      },
      fetch: async (input, init) => {
        const request = new Request(input, init)
        const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
        if (rejectedTokens.has(token)) return new Response('{"error":{"code":401}}', { status: 401 })
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
    rejectedTokens,
    accessRequests,
    async call(name, input, signal) {
      const result = await client.callTool({ name, arguments: input }, signal === undefined ? {} : { signal })
      const content = result.content as readonly { readonly text?: string }[]
      return { text: content.map(({ text }) => text ?? '').join('\n'), isError: result.isError === true }
    },
    close: () => client.close(),
  }
}

import { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect } from 'vitest'
import { openInProcessTransport } from '../../connectors/mcp/connect-server.ts'
import type { GoogleApiDeps } from '../../integrations/google/api-client.ts'
import { type GoogleLimits, googleLimits } from '../../integrations/google/retry.ts'
import type { IntegrationConnector } from '../../integrations/integration-connector.ts'
import { googleScopes } from '../../integrations/oauth/scopes.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ApiStandIn } from './api-stand-in.ts'

export interface ToolResult {
  readonly text: string
  readonly isError: boolean
}

export interface GoogleTestClient {
  readonly client: Client
  call(tool: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>
  /** Tokens to which Google responds with 401. */
  readonly rejectedTokens: Set<string>
  /** The requests for an access token, in order. */
  readonly accessRequests: { readonly rejectedToken: string | undefined }[]
  /** Null for each call that worked, and the explanation of each error with which the whole integration fails. */
  readonly failures: (string | null)[]
  close(): Promise<void>
}

/** The account behind the connector. */
export const testAccount = 'ben@example.com'

const testLimits: GoogleLimits = {
  ...googleLimits,
  retryDelayMs: 1,
  maxRetryDelayMs: 50,
  attemptTimeoutMs: 2_000,
}

/** Opens a connector over MCP, with a stand-in for its Google API. */
export async function openGoogleClient(
  create: (deps: GoogleApiDeps) => IntegrationConnector,
  api: ApiStandIn,
  options: { scopes?: ReadonlySet<string>; now?: () => number; limits?: Partial<GoogleLimits> } = {},
): Promise<GoogleTestClient> {
  const scopes =
    options.scopes ?? new Set(Object.values(googleScopes).flatMap((all) => all.map(({ scope }) => scope)))
  const rejectedTokens = new Set<string>()
  const accessRequests: { rejectedToken: string | undefined }[] = []
  const failures: (string | null)[] = []
  let tokens = 0
  const connector = create({
    requireAccess: (_userId, _name, access = {}) => {
      accessRequests.push({ rejectedToken: access.rejectedToken })
      if (access.rejectedToken !== undefined) tokens++
      if (tokens > 1) return Promise.reject(new AppError('not_connected', 'Connect the account again.'))
      return Promise.resolve(`token-${tokens}`)
    },
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
      if (rejectedTokens.has(token)) return new Response('{"error":{"code":401}}', { status: 401 })
      const aborted = new Promise<never>((_resolve, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error))
      })
      const response = await Promise.race([api.handle(request, { account: testAccount, scopes }), aborted])
      if (response.type === 'error') throw new TypeError('fetch failed')
      return response
    },
    recordFailure: (_userId, _name, failure) => {
      failures.push(failure)
      return Promise.resolve()
    },
    apiUrls: { gmail: 'http://google.invalid', calendar: 'http://google.invalid' },
    now: options.now ?? Date.now,
    limits: { ...testLimits, ...options.limits },
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const { server } = connector
  if (server.kind !== 'in_process') throw new Error(`${connector.name} is not an in-process server.`)
  await client.connect(openInProcessTransport(() => server.create({ userId: 'user', version: 1 })))
  return {
    client,
    rejectedTokens,
    accessRequests,
    failures,
    async call(name, input, signal) {
      const result = await client.callTool({ name, arguments: input }, signal === undefined ? {} : { signal })
      const content = result.content as readonly { readonly text?: string }[]
      return { text: content.map(({ text }) => text ?? '').join('\n'), isError: result.isError === true }
    },
    close: () => client.close(),
  }
}

type OpenArguments = Parameters<typeof openGoogleClient>

export type ProvidedGoogle<Api extends ApiStandIn> = GoogleTestClient & { readonly api: Api }

/** Provides a connector and its Google API, new for each test of a file. Use them inside of tests only. */
export function provideGoogle<Api extends ApiStandIn>(
  createApi: () => Api,
  connector: OpenArguments[0],
  options?: OpenArguments[2],
): ProvidedGoogle<Api> {
  const provided = {} as ProvidedGoogle<Api>
  beforeEach(async () => {
    const api = createApi()
    Object.assign(provided, { api }, await openGoogleClient(connector, api, options))
  })
  afterEach(async () => {
    await provided.close()
    // In every test, all requests must match Google's discovery document.
    expect(provided.api.problems).toEqual([])
  })
  return provided
}

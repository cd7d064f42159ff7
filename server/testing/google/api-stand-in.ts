import { listShapeProblems, matchMethod, type MatchedRequest } from './check-request.ts'
import type { DiscoveredMethod } from './discovery.ts'
import { GoogleApiError } from './google-api-error.ts'

/** The account and scopes of a valid access token. */
export interface StandInGrant {
  readonly account: string
  readonly scopes: ReadonlySet<string>
}

/** One API of the Google stand-in. It receives only requests with a valid token. */
export interface StandInApi {
  /** Such as `/gmail-api`. */
  readonly prefix: string
  /** `request.url` is without the prefix, such as `http://google.invalid/gmail/v1/users/me/labels`. */
  handle(request: Request, grant: StandInGrant): Response | Promise<Response>
}

export interface ApiCall {
  readonly account: string
  readonly params: MatchedRequest['params']
  readonly body: unknown
}

/** A failure of the next requests to a method. */
export interface Fault {
  /** Such as `gmail.users.drafts.send`. Default: any method. */
  readonly method?: string
  /** A status, a broken connection, no response, or an HTML page that is not Google's. */
  readonly response: number | 'cut' | 'hang' | 'html'
  /** The request is executed before it fails, so that only its response is wrong or lost. */
  readonly isExecuted?: boolean
  readonly reason?: string
  /** Seconds. */
  readonly retryAfter?: number
  /** How many requests fail. Default: 1. */
  readonly times?: number
  /** How many requests to the method succeed first. Default: 0. */
  readonly skipped?: number
}

export interface ApiStandInOptions {
  readonly prefix: string
  readonly methods: readonly DiscoveredMethod[]
  /** By method id. An undefined result becomes a 204. */
  readonly handlers: Readonly<Record<string, (call: ApiCall) => unknown>>
}

/** A Google API that supports the methods of its discovery document and fails on demand. */
export class ApiStandIn implements StandInApi {
  readonly prefix: string
  /** The received requests. */
  readonly calls: {
    readonly method: string
    readonly params: MatchedRequest['params']
    readonly body: unknown
  }[] = []
  /** Differences between the requests and the discovery document. */
  readonly problems: string[] = []
  readonly #options: ApiStandInOptions
  readonly #faults: { fault: Fault; remaining: number; skipped: number }[] = []

  constructor(options: ApiStandInOptions) {
    this.prefix = options.prefix
    this.#options = options
  }

  fail(fault: Fault): void {
    this.#faults.push({ fault, remaining: fault.times ?? 1, skipped: fault.skipped ?? 0 })
  }

  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length
  }

  readonly handle = async (request: Request, grant: StandInGrant): Promise<Response> => {
    try {
      return await this.#run(request, grant)
    } catch (error) {
      if (error instanceof GoogleApiError) return error.toResponse()
      throw error
    }
  }

  async #run(request: Request, { account, scopes }: StandInGrant): Promise<Response> {
    const matched = matchMethod(this.#options.methods, request)
    if (matched === undefined) {
      this.problems.push(`no method for ${request.method} ${request.url}`)
      throw new GoogleApiError(404, 'Not Found')
    }
    const { method, params } = matched
    const text = await request.text()
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    this.problems.push(...listShapeProblems(matched, new URL(request.url), body))
    this.calls.push({ method: method.id, params, body })
    if (!method.scopes.some((scope) => scopes.has(scope))) {
      throw new GoogleApiError(403, 'Request had insufficient authentication scopes.')
    }
    const fault = this.#nextFault(method.id)
    if (fault !== undefined && fault.isExecuted !== true) return this.#failAs(fault)
    const result = await this.#options.handlers[method.id]?.({ account, params, body })
    if (fault !== undefined) return this.#failAs(fault)
    return result === undefined ? new Response(null, { status: 204 }) : Response.json(result)
  }

  #nextFault(method: string): Fault | undefined {
    const index = this.#faults.findIndex(({ fault }) => (fault.method ?? method) === method)
    const found = this.#faults[index]
    if (found === undefined || found.skipped-- > 0) return undefined
    if (--found.remaining <= 0) this.#faults.splice(index, 1)
    return found.fault
  }

  #failAs({ response, reason, retryAfter }: Fault): Response | Promise<Response> {
    if (response === 'cut') return Response.error()
    if (response === 'hang') return new Promise(() => undefined)
    if (response === 'html') {
      return new Response('<h1>Sign in to the network</h1>', { headers: { 'content-type': 'text/html' } })
    }
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
    throw new GoogleApiError(response, `Stand-in error ${response}.`, {
      headers,
      ...(reason === undefined ? {} : { reason }),
    })
  }
}

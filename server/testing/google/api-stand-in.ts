import type { StandInApi, StandInGrant } from '../google-stand-in/google-stand-in-api.ts'
import { listShapeProblems, matchMethod } from './check-request-shape.ts'
import type { MatchedRequest } from './check-request-shape.ts'
import type { DiscoveredMethod } from './discovery-extract.ts'
import { GoogleApiError } from './google-api-error.ts'

export interface ApiCall {
  readonly account: string
  readonly params: MatchedRequest['params']
  readonly body: unknown
}

/** What goes wrong with the next request of a method. */
export interface Fault {
  /** Such as `gmail.users.drafts.send`; without it, of any. */
  readonly method?: string
  /** What is answered: a status, a broken connection, nothing ever, or the page of somebody else. */
  readonly answer: number | 'cut' | 'hang' | 'html'
  /** The request does its work first, and only its answer is lost. */
  readonly afterwards?: boolean
  readonly reason?: string
  /** Seconds. */
  readonly retryAfter?: number
  /** How often; 1 when absent. */
  readonly times?: number
  /** Requests of the method that go well before. */
  readonly after?: number
}

export interface ApiStandInOptions {
  readonly prefix: string
  readonly methods: readonly DiscoveredMethod[]
  /** By the method's id. What is undefined is answered as 204. */
  readonly handlers: Readonly<Record<string, (call: ApiCall) => unknown>>
}

/** One of Google's APIs: it answers what its discovery document says, as Google does, and fails on demand. */
export class ApiStandIn implements StandInApi {
  readonly prefix: string
  /** The requests that came, by the ids of their methods. */
  readonly calls: {
    readonly method: string
    readonly params: MatchedRequest['params']
    readonly body: unknown
  }[] = []
  /** Whatever was not as the discovery document says. */
  readonly problems: string[] = []
  readonly #options: ApiStandInOptions
  readonly #faults: { fault: Fault; left: number; before: number }[] = []

  constructor(options: ApiStandInOptions) {
    this.prefix = options.prefix
    this.#options = options
  }

  fail(fault: Fault): void {
    this.#faults.push({ fault, left: fault.times ?? 1, before: fault.after ?? 0 })
  }

  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length
  }

  readonly answer = async (request: Request, grant: StandInGrant): Promise<Response> => {
    try {
      return await this.#answer(request, grant)
    } catch (error) {
      if (error instanceof GoogleApiError) return error.toResponse()
      throw error
    }
  }

  async #answer(request: Request, { account, scopes }: StandInGrant): Promise<Response> {
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
    const fault = this.#takeFault(method.id)
    if (fault !== undefined && fault.afterwards !== true) return this.#failAs(fault)
    const result = await this.#options.handlers[method.id]?.({ account, params, body })
    if (fault !== undefined) return this.#failAs(fault)
    return result === undefined ? new Response(null, { status: 204 }) : Response.json(result)
  }

  #takeFault(method: string): Fault | undefined {
    const index = this.#faults.findIndex(({ fault }) => (fault.method ?? method) === method)
    const found = this.#faults[index]
    if (found === undefined || found.before-- > 0) return undefined
    if (--found.left <= 0) this.#faults.splice(index, 1)
    return found.fault
  }

  #failAs({ answer, reason, retryAfter }: Fault): Response | Promise<Response> {
    if (answer === 'cut') return Response.error()
    if (answer === 'hang') return new Promise(() => undefined)
    if (answer === 'html') {
      return new Response('<h1>Sign in to the network</h1>', { headers: { 'content-type': 'text/html' } })
    }
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
    throw new GoogleApiError(answer, `Stood in for ${answer}.`, {
      headers,
      ...(reason === undefined ? {} : { reason }),
    })
  }
}

import type { GoogleIntegration } from '@yonder/contract/integration-names'
import { AppError } from '../../lib/app-error.ts'
import type { GoogleApiDeps } from './api-client.ts'
import type { GoogleLimits } from './google-limits.ts'

export interface GoogleCaller {
  readonly userId: string
  readonly integration: GoogleIntegration
  readonly signal: AbortSignal
}

interface GoogleApi {
  /** The address that Google's package asks. */
  readonly packaged: string
  /** The one from the settings. */
  readonly actual: string
}

/**
 * The way of Google's client packages to Google: to the address from the settings, with the person's token, which is
 * added here and nowhere else, so that no error of theirs can carry it.
 */
export function googleFetch(
  deps: Pick<GoogleApiDeps, 'findAccess' | 'fetch'>,
  caller: GoogleCaller,
  api: GoogleApi,
  limits: GoogleLimits,
): typeof globalThis.fetch {
  const send = async (url: URL, init: RequestInit, token: string): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    const { method = 'GET', body = null } = init
    // After an attempt that took too long the package forgets whose signal it was given.
    const signal = init.signal ? AbortSignal.any([caller.signal, init.signal]) : caller.signal
    return deps.fetch(url, { method, headers, body, signal })
  }
  return async (input, init = {}) => {
    const url = moveTo(api, input instanceof Request ? input.url : String(input))
    const options = { signal: caller.signal }
    const { token } = await deps.findAccess(caller.userId, caller.integration, options)
    const answer = await send(url, init, token)
    if (answer.status !== 401) return readWithin(limits.answerBytes, answer)
    await answer.body?.cancel()
    const renewed = await deps.findAccess(caller.userId, caller.integration, { ...options, refused: token })
    return readWithin(limits.answerBytes, await send(url, init, renewed.token))
  }
}

function moveTo({ packaged, actual }: GoogleApi, address: string): URL {
  if (!address.startsWith(`${packaged}/`)) {
    throw new AppError('address_refused', 'A request to Google was about to go elsewhere.')
  }
  return new URL(actual + address.slice(packaged.length))
}

/** The whole answer, which is refused where it grows too large to be read in one go. */
async function readWithin(most: number, answer: Response): Promise<Response> {
  if (answer.body === null) return answer
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    size += chunk.length
    if (size > most) {
      throw new AppError('output_limit', 'Google answered with more than can be read here.')
    }
    chunks.push(chunk)
  }
  const { status, headers } = answer
  const isJson = headers.get('content-type')?.includes('json') === true
  if (answer.ok && size > 0 && !isJson) {
    // A network that wants a sign-in of its own, for instance: it must not pass for an empty mailbox.
    throw new AppError(
      'upstream_invalid',
      'What answered in the place of Google was not Google. Try again later.',
    )
  }
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers })
}

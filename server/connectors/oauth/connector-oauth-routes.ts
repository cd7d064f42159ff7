import { z } from 'zod'
import { type Api, unpublished } from '../../http/api.ts'
import { limitNetworks } from '../../http/rate-limits.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { callbackPath } from './connector-oauth.ts'
import { readBrowserKey } from './consent-request.ts'

/** One that is there several times, or too long, counts as missing: a person sees the response. */
const parameter = z.string().max(16_000).optional().catch(undefined)
const Callback = z.object({
  state: parameter,
  code: parameter,
  error: parameter,
  error_description: parameter,
  iss: parameter,
})

/**
 * Registers the route to which authorization servers redirect users back. The request needs no session: the state and
 * the browser's consent cookie authorize it. What its URL says about an error is shown
 * only for a valid state, as the words of the server. `perMinute` limits requests
 * from one network.
 */
export function registerConnectorOAuthRoutes(
  api: Api,
  deps: ConnectorDeps,
  { perMinute }: { readonly perMinute: number },
): void {
  limitNetworks(api, perMinute)
  api.get(
    callbackPath,
    { schema: { ...unpublished, querystring: Callback }, config: { perMinute } },
    async (request, reply) => {
      const { state = '', code, error, error_description: description, iss } = request.query
      const { finishConsent } = await import('./finish-consent.ts')
      const { outcome, returnTo, connector } = await finishConsent(deps, {
        state,
        code,
        error,
        description,
        issuer: iss,
        browserKey: readBrowserKey(deps.settings.publicUrl, request.headers.cookie),
      })
      const url = new URL(returnTo, deps.settings.publicUrl)
      url.searchParams.set('authorization', outcome)
      if (connector !== null) url.searchParams.set('connector', connector)
      return reply.header('cache-control', 'no-store').redirect(url.href, 302)
    },
  )
}

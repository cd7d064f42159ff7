import { z } from 'zod'
import { type Api, unpublished } from '../../http/api.ts'
import { limitNetworks } from '../../http/rate-limits.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { callbackPath } from './connector-oauth.ts'
import { readBrowserKey } from './consent-request.ts'

const parameter = z.string().max(4_000).optional()
const Callback = z.object({
  state: z.string().min(1).max(400),
  code: parameter,
  error: parameter,
  iss: parameter,
})

/**
 * Registers the route to which authorization servers redirect users back. The request needs no session: the state and
 * the browser's consent cookie authorize it. Nothing from its URL is shown to the user. `perMinute` limits requests
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
      const { state, code, error, iss } = request.query
      const { finishConsent } = await import('./finish-consent.ts')
      const { outcome, returnTo, connector } = await finishConsent(deps, {
        state,
        code,
        error,
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

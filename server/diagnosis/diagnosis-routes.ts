import type { FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import { type Api, unpublished } from '../http/api.ts'
import { limitNetworks } from '../http/rate-limits.ts'
import { createSseHub, sseFrame } from '../http/sse.ts'
import { AppError } from '../lib/app-error.ts'
import {
  diagnosisPath,
  frameCount,
  frameIntervalMs,
  consumeDiagnosisToken,
  type ReceivedRequest,
} from './diagnosis-link.ts'

export interface DiagnosisRoutesDeps {
  readonly database: Pick<Database, 'db'>
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly now: () => number
}

type DiagnosisRequest = FastifyRequest<{ Querystring: { token?: unknown } }>

/**
 * Registers the stream with which `yonder doctor` checks a proxy: its first frame reports how the request arrived, and
 * more frames follow every 200 ms, for 1.8 seconds. It needs no access token, because a proxy may treat requests with
 * one differently. Without a token from the database it is not found.
 */
export function registerDiagnosisRoutes(
  api: Api,
  { database: { db }, sealer, now }: DiagnosisRoutesDeps,
  { perMinute }: { readonly perMinute: number },
): void {
  const sse = createSseHub({ heartbeat: '', keyOf: () => '' })
  api.addHook('onClose', async () => sse.close())
  limitNetworks(api, perMinute)

  api.get(`${diagnosisPath}*`, { schema: unpublished }, async (request: DiagnosisRequest, reply) => {
    if (!(await consumeDiagnosisToken(db, sealer, request.query.token, now())))
      throw new AppError('not_found', 'This address does not exist. Check its path.')
    const stream = sse.open(request, reply)
    stream.write(sseFrame(JSON.stringify(describeRequest(request))))
    let sent = 1
    const timer = setInterval(() => {
      sent += 1
      stream.write(sseFrame(String(sent)))
      if (sent === frameCount) stream.end()
    }, frameIntervalMs)
    stream.onClose(() => clearInterval(timer))
    return reply
  })
}

function describeRequest({ url, client, headers }: FastifyRequest): ReceivedRequest {
  const forwardedFor = headers['x-forwarded-for']
  return {
    parameter: (url.split('?')[0] ?? '').slice(diagnosisPath.length),
    ...client,
    forwardedFor: forwardedFor === undefined ? null : String(forwardedFor),
    isProxied: ['via', 'forwarded', 'x-real-ip', 'x-forwarded-proto', 'x-forwarded-host'].some(
      (name) => headers[name] !== undefined,
    ),
  }
}

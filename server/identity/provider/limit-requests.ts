import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { limitSite } from '../../http/rate-limits.ts'
import { AppError } from '../../lib/app-error.ts'

const minuteMs = 60_000
const maxParameterChars = 1_024
const maxAddressChars = 4_096
/** These are never stored, and may be long: an ID token contains a profile, and some providers make long codes. */
const longParameters: Readonly<Record<string, string>> = {
  '/session/end': 'id_token_hint',
  '/federated/callback': 'code',
}
const maxLongParameterChars = 8_192
/** The longest form has a name, an e-mail, a password and a hidden field, which are 13 kB at most. */
export const maxBodyBytes = 16_384

/** Throws when a request is refused. */
export type RequestLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/**
 * Limits every request to the pages and the provider at `base`, because anyone can send them: their number per network,
 * except where only failures count, the length of their parameters, and their bodies. Pages and provider must share one
 * limit, which counts their requests together.
 */
export function createRequestLimit(
  app: FastifyInstance,
  { base, perMinute }: { readonly base: string; readonly perMinute: number },
): RequestLimit {
  const limitPerNetwork = app.rateLimit({ max: perMinute, timeWindow: minuteMs })
  const limitPerSite = limitSite(app, perMinute)
  return async (request, reply) => {
    if (!isFixed(request, base) && !isLimitedByFailures(request, base)) {
      await limitPerSite(request, reply)
      await limitPerNetwork.call(app, request, reply)
    }
    limitSize(request, base)
  }
}

/** Two documents that every browser reads with each sign-in. */
function isFixed({ url }: Pick<FastifyRequest, 'url'>, base: string): boolean {
  return [`${base}/.well-known/openid-configuration`, `${base}/jwks`].includes(url)
}

/**
 * Whether only the failures of such requests are limited: those for tokens, which every open page sends, and the end of
 * a sign-in, which has passed the limits of its beginning. The users of an office share one address.
 */
export function isLimitedByFailures(
  { method, url }: Pick<FastifyRequest, 'method' | 'url'>,
  base: string,
): boolean {
  return method === 'POST' ? url.split('?')[0] === `${base}/token` : url.startsWith(`${base}/auth/`)
}

function limitSize({ url, headers }: FastifyRequest, base: string): void {
  const { searchParams, pathname } = new URL(url, 'http://localhost')
  const path = pathname.slice(base.length)
  const longName = longParameters[path] ?? (path.endsWith('/federated') ? 'code' : undefined)
  for (const [name, value] of searchParams) {
    const max = name === longName ? maxLongParameterChars : maxParameterChars
    if (name.length > maxParameterChars || value.length > max) throw tooLong('A parameter', max)
  }
  const maxChars = maxAddressChars + (longName === undefined ? 0 : maxLongParameterChars)
  if (url.length > maxChars) throw tooLong('The address', maxChars)
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) {
    throw new AppError(
      'payload_too_large',
      `The body of this request has more than ${maxBodyBytes.toLocaleString('en')} bytes.`,
    )
  }
}

function tooLong(what: string, maxChars: number): AppError {
  return new AppError(
    'invalid_request',
    `${what} of this request has more than ${maxChars.toLocaleString('en')} characters.`,
  )
}

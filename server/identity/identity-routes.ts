import { createHash } from 'node:crypto'
import { ClientSettings, IdTokenInput, SignInFailure, UserInfo } from '@yonder/contract/identity'
import type { Config } from '../config/config.ts'
import { type Api, route, unpublished } from '../http/api.ts'
import { limitNetworks } from '../http/rate-limits.ts'
import { toVisibleLine } from '../lib/text.ts'
import { readBearerToken, requireUser } from './authenticate.ts'
import type { Identity } from './identity.ts'
import type { User } from './user.ts'

/** Registers the route for the settings that the web app needs before the sign-in. They are public. */
export function registerSettingsRoutes(
  api: Api,
  { identity, config }: { readonly identity: Identity; readonly config: Config },
): void {
  const options = route('public', 'Read what the sign-in needs', [], { response: { 200: ClientSettings } })
  api.get('/api/settings', options, async () => ({
    identity: { ...identity.clientSettings },
    sourceUrl: config.sourceUrl,
    demoShareId: config.demoShareId,
    ...(config.selfService ? { selfService: true } : {}),
    ...(config.ceilings.maxGrantHours === null ? {} : { maxGrantHours: config.ceilings.maxGrantHours }),
    ...((await identity.needsSetUp()) ? { needsSetUp: true } : {}),
  }))
}

/**
 * The user's prefix, which only the settings show. In practice no other user has it: the local part of the e-mail, and
 * a short hash of issuer and subject.
 */
export function userPrefix({ issuer, subject, email }: Pick<User, 'issuer' | 'subject' | 'email'>): string {
  const localPart =
    (email ?? '')
      .split('@')[0]
      ?.toLowerCase()
      .replace(/[^a-z0-9._-]/g, '') || 'user'
  const hash = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 8)
  return `${localPart}-${hash}`
}

/** Reports of failed sign-ins that a network may send in a minute. A user causes one with each attempt. */
const maxReportsPerMinute = 60

/**
 * Registers the route that logs why a sign-in has failed in a browser, where the operator could not read it. Anyone can
 * send such a report, so it is short, and is logged as what a browser has said.
 */
export function registerSignInFailureRoutes(api: Api): void {
  limitNetworks(api, maxReportsPerMinute)
  api.post(
    '/api/sign-in-failures',
    { schema: { ...unpublished, body: SignInFailure }, bodyLimit: 16_384 },
    async (request, reply) => {
      const lines = Object.entries(request.body).map(([name, text]) => [name, toVisibleLine(text ?? '')])
      request.log.warn({ reported: Object.fromEntries(lines) }, 'a browser reports that a sign-in has failed')
      return reply.code(204).send()
    },
  )
}

export function registerUserRoutes(api: Api, { readIdToken }: Pick<Identity, 'readIdToken'>): void {
  api.get(
    '/api/auth/userinfo',
    route('user', 'Read the signed-in user', [], { response: { 200: UserInfo } }),
    async (request) => presentUser(requireUser(request)),
  )
  api.post(
    '/api/auth/id-token',
    route('user', 'Complete the signed-in user from an ID token', [], {
      body: IdTokenInput,
      response: { 200: UserInfo },
    }),
    async (request) => {
      const user = requireUser(request)
      return presentUser((await readIdToken?.(readBearerToken(request), request.body.id_token)) ?? user)
    },
  )
}

function presentUser(user: User): UserInfo {
  const { subject, name, email, picture } = user
  return { sub: subject, name, email, picture, userPrefix: userPrefix(user) }
}

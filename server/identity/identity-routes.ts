import { createHash } from 'node:crypto'
import { ClientSettings, UserInfo } from '@yonder/contract/identity'
import type { Config } from '../config/config.ts'
import { type Api, route } from '../http/api.ts'
import { requireUser } from './authenticate.ts'
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

export function registerUserRoutes(api: Api): void {
  api.get(
    '/api/auth/userinfo',
    route('user', 'Read the signed-in user', [], { response: { 200: UserInfo } }),
    async (request) => presentUser(requireUser(request)),
  )
}

function presentUser(user: User): UserInfo {
  const { subject, name, email, picture } = user
  return { sub: subject, name, email, picture, userPrefix: userPrefix(user) }
}

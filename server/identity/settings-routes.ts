import { ClientSettings } from '@yonder/contract/identity'
import type { Config } from '../config/config.ts'
import { type Api, route } from '../http/api.ts'
import type { Identity } from './identity.ts'

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

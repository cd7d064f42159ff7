import type { ClientSettings } from '@yonder/contract/identity'
import type { Configuration } from 'openid-client'
import type * as Library from './open-id-library.ts'

export interface OpenIdClient {
  readonly library: typeof Library
  readonly configuration: Configuration
}

/**
 * Returns a function that loads the OpenID library and the provider's metadata, which are needed only to sign in or
 * out and to refresh a token. Both are loaded once; after a failure the next call tries again.
 */
export function createOpenIdClient({
  issuer,
  clientId,
}: ClientSettings['identity']): () => Promise<OpenIdClient> {
  let opening: Promise<OpenIdClient> | undefined
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  async function open(): Promise<OpenIdClient> {
    const library = await import('./open-id-library.ts')
    return { library, configuration: await library.openConfiguration(issuer, clientId) }
  }
}

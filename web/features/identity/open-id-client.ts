import type { ClientSettings } from '@yonder/contract/identity'
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import { fetchFromProvider } from '../../lib/api/sign-in-requests.ts'
import type * as Library from './open-id-library.ts'

/** The limits for the library, in seconds. */
const httpTimeoutSeconds = 10
const idTokenLeewaySeconds = 60

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
    const insecure = issuer.startsWith('http:') ? [library.allowInsecureRequests] : []
    const found = await library.discovery(new URL(issuer), clientId, undefined, library.None(), {
      timeout: httpTimeoutSeconds,
      execute: insecure,
      [library.customFetch]: fetchNamed,
    })
    const configuration = new library.Configuration(
      withAlgorithms(found.serverMetadata()),
      clientId,
      { [library.clockTolerance]: idTokenLeewaySeconds },
      library.None(),
    )
    configuration.timeout = httpTimeoutSeconds
    configuration[library.customFetch] = fetchNamed
    // Checks the signature of every ID token with the provider's keys, on top of the claims.
    for (const extend of [library.enableNonRepudiationChecks, ...insecure]) extend(configuration)
    return { library, configuration }
  }
}

const asymmetric = ['RS', 'PS', 'ES'].flatMap((family) => [256, 384, 512].map((bits) => `${family}${bits}`))
const idTokenAlgorithms: readonly string[] = [...asymmetric, 'EdDSA', 'Ed25519']

/**
 * Leaves the asymmetric algorithms of the provider's ID tokens, or all of them when it lists none. The library checks
 * that the key in use is one of the provider's, and of the kind that the algorithm needs.
 */
function withAlgorithms(metadata: Readonly<ServerMetadata>): ServerMetadata {
  const listed: unknown = metadata.id_token_signing_alg_values_supported
  const usable = Array.isArray(listed) ? idTokenAlgorithms.filter((one) => listed.includes(one)) : []
  return {
    ...metadata,
    id_token_signing_alg_values_supported: usable.length > 0 ? usable : [...idTokenAlgorithms],
  }
}

const fetchNamed: CustomFetch = (url, options) => fetchFromProvider(url, options as RequestInit)

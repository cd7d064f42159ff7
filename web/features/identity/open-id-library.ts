import {
  allowInsecureRequests,
  clockTolerance,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client'
import { fetchFromProvider } from '../../lib/api/sign-in-requests.ts'

/** The parts of the OpenID library that the page uses, by name, so that the others stay out of the bundle. */
export {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  ResponseBodyError,
  tokenRevocation,
} from 'openid-client'
export { sendIdToken } from '../../lib/api/sign-in-requests.ts'

/** The limits for the library, in seconds. */
const httpTimeoutSeconds = 10
const idTokenLeewaySeconds = 60

/** Reads the provider's metadata. */
export async function openConfiguration(issuer: string, clientId: string): Promise<Configuration> {
  const insecure = issuer.startsWith('http:') ? [allowInsecureRequests] : []
  const found = await discovery(new URL(issuer), clientId, undefined, None(), {
    timeout: httpTimeoutSeconds,
    execute: insecure,
    [customFetch]: fetchNamed,
  })
  const configuration = new Configuration(
    withAlgorithms(found.serverMetadata()),
    clientId,
    { [clockTolerance]: idTokenLeewaySeconds },
    None(),
  )
  configuration.timeout = httpTimeoutSeconds
  configuration[customFetch] = fetchNamed
  // Checks the signature of every ID token with the provider's keys, on top of the claims.
  for (const extend of [enableNonRepudiationChecks, ...insecure]) extend(configuration)
  return configuration
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

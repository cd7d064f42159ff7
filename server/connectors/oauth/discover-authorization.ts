import type { OAuthDiscoveryState, OAuthMetadata } from '@modelcontextprotocol/client'
import { AppError } from '../../lib/app-error.ts'
import { toList, type JsonObject } from '../../lib/json-object.ts'

/** Requests a JSON document. Returns undefined when the server has none. @throws AppError when it does not respond */
export type ReadDocument = (url: URL) => Promise<JsonObject | undefined>

export interface FoundAuthorization {
  readonly state: OAuthDiscoveryState
  /** Nothing says that there is an authorization server: its addresses are those of MCP 2025-03-26. */
  readonly isGuessed: boolean
}

/**
 * Finds the authorization server of an MCP server, as MCP 2025-11-25 says, with its fallback to the server's own origin
 * (2025-03-26). What servers get wrong without harm is accepted: an address that differs by its final slash, the case of
 * its host or its default port, a metadata document at another of the usual places, a first authorization server that
 * does not work. `challenged` is the address of metadata in the response 401.
 * @throws AppError that says what is wrong
 */
export async function discoverAuthorization(
  serverUrl: URL,
  challenged: URL | undefined,
  read: ReadDocument,
): Promise<FoundAuthorization> {
  const resource = await findResource(serverUrl, challenged, read)
  const named = (toList(resource?.document['authorization_servers']) ?? []).filter(isAddress)
  const candidates =
    named.length > 0 ? named : [`${serverUrl.origin}/`, serverUrl.origin + serverUrl.pathname]
  const failures: AppError[] = []
  let answering: string | undefined
  for (const address of new Set(candidates)) {
    try {
      const metadata = await findMetadata(address, read)
      if (metadata !== undefined) return { state: toState(address, metadata, resource), isGuessed: false }
      answering ??= address
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failures.push(error)
    }
  }
  const [failure] = failures
  if (failure !== undefined && (answering === undefined || named.length === 0)) throw failure
  const address = answering ?? `${serverUrl.origin}/`
  return { state: toState(address, guessMetadata(address), resource), isGuessed: named.length === 0 }
}

function toState(
  authorizationServerUrl: string,
  authorizationServerMetadata: OAuthMetadata,
  resource: ProtectedResource | undefined,
): OAuthDiscoveryState {
  const state = { authorizationServerUrl, authorizationServerMetadata }
  const named = resource?.document['resource']
  if (resource === undefined || !isAddress(named)) return state
  const resourceMetadata = { resource: named, ...readLists(resource.document, ['scopes_supported']) }
  return { ...state, resourceMetadataUrl: resource.url.href, resourceMetadata }
}

interface ProtectedResource {
  readonly url: URL
  readonly document: JsonObject
}

/** Finds the metadata that an MCP server publishes about itself (RFC 9728). */
async function findResource(
  serverUrl: URL,
  challenged: URL | undefined,
  read: ReadDocument,
): Promise<ProtectedResource | undefined> {
  const wellKnown = '/.well-known/oauth-protected-resource'
  const ofPath = new URL(wellKnown + trimSlash(serverUrl.pathname), serverUrl)
  ofPath.search = serverUrl.search
  const urls = [challenged, ofPath, new URL(wellKnown, serverUrl)].filter((url) => url !== undefined)
  let other: string | undefined
  for (const url of new Map(urls.map((each) => [each.href, each])).values()) {
    const document = await read(url).catch(ignoreFailure)
    if (document === undefined) continue
    if (document['resource'] === undefined && document['authorization_servers'] === undefined) continue
    const { resource } = document
    if (!isAddress(resource) || isWithin(serverUrl, resource)) return { url, document }
    other ??= resource
  }
  if (other === undefined) return undefined
  throw new AppError(
    'upstream_invalid',
    `The server says that its address is ${shorten(other)}. Enter that address as URL, or ask those who run the server to correct it.`,
  )
}

/** The server has just answered, so a document that cannot be read counts as missing, unless its address is refused. */
function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code === 'address_refused') throw error
}

/** Whether a server is the named resource or below it. */
export function isWithin(serverUrl: URL, resource: string): boolean {
  const { origin, pathname } = new URL(resource)
  return (
    origin === serverUrl.origin && `${trimSlash(serverUrl.pathname)}/`.startsWith(`${trimSlash(pathname)}/`)
  )
}

/**
 * Finds the metadata of an authorization server (RFC 8414, OpenID Connect Discovery). A server that names another issuer
 * points to that one, which has to confirm it in metadata of its own.
 */
async function findMetadata(address: string, read: ReadDocument): Promise<OAuthMetadata | undefined> {
  const found = await readMetadata(address, read)
  if (found === undefined) return undefined
  if (found.issuer === undefined || isSameIssuer(found.issuer, address)) return found.metadata
  const named = isAddress(found.issuer) ? await readMetadata(found.issuer, read) : undefined
  if (named?.issuer !== undefined && isSameIssuer(named.issuer, found.issuer)) return named.metadata
  throw new AppError(
    'upstream_invalid',
    `The authorization server ${shorten(address)} says that it is ${shorten(found.issuer)}, so it is not trusted. Ask those who run that server to correct it.`,
  )
}

interface ReadMetadata {
  /** Undefined when the document has none. */
  readonly issuer: string | undefined
  readonly metadata: OAuthMetadata
}

async function readMetadata(address: string, read: ReadDocument): Promise<ReadMetadata | undefined> {
  const url = new URL(address)
  const path = trimSlash(url.pathname)
  const [oauth, oidc] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
  for (const place of new Set([oauth + path, oidc + path, path + oidc, path + oauth])) {
    const document = await read(new URL(place, url.origin))
    if (document === undefined) continue
    if (document['authorization_endpoint'] === undefined && document['token_endpoint'] === undefined) continue
    const issuer = document['issuer']
    return {
      issuer: typeof issuer === 'string' ? issuer : undefined,
      metadata: toMetadata(address, document),
    }
  }
  return undefined
}

const addressFields = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
]
const listFields = [
  'response_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'revocation_endpoint_auth_methods_supported',
  'scopes_supported',
]

/** @throws AppError when we cannot sign in at this server */
function toMetadata(address: string, document: JsonObject): OAuthMetadata {
  const refuse = (problem: string) =>
    new AppError(
      'upstream_invalid',
      `The authorization server ${shorten(address)} ${problem}. Ask those who run that server to correct it.`,
    )
  const rest = Object.entries(document).filter(
    ([field]) => ![...addressFields, ...listFields].includes(field),
  )
  const addresses = addressFields.flatMap((field) => {
    const value = document[field]
    const isUsable = typeof value === 'string' && URL.canParse(value, address)
    return isUsable ? [[field, isAddress(value) ? value : new URL(value, address).href]] : []
  })
  const metadata = {
    ...(Object.fromEntries(rest) as object),
    issuer: typeof document['issuer'] === 'string' ? document['issuer'] : address,
    ...(Object.fromEntries(addresses) as { authorization_endpoint?: string; token_endpoint?: string }),
  }
  const { authorization_endpoint, token_endpoint } = metadata
  if (authorization_endpoint === undefined) throw refuse('names no page for signing in')
  if (token_endpoint === undefined) throw refuse('names no address for requesting tokens')
  const lists = readLists(document, listFields)
  const types = lists['response_types_supported'] ?? []
  const methods = lists['code_challenge_methods_supported'] ?? []
  if (types.length > 0 && !types.includes('code')) throw refuse('does not offer the sign-in with a code')
  if (methods.length > 0 && !methods.some((method) => method.toUpperCase() === 'S256'))
    throw refuse('does not protect its codes with PKCE and S256, which MCP requires')
  return {
    ...metadata,
    ...lists,
    authorization_endpoint,
    token_endpoint,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  }
}

/** The addresses of a server without metadata (MCP 2025-03-26). */
function guessMetadata(address: string): OAuthMetadata {
  const at = (path: string) => new URL(path, address).href
  return {
    issuer: address,
    authorization_endpoint: at('/authorize'),
    token_endpoint: at('/token'),
    registration_endpoint: at('/register'),
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  }
}

/** Reads lists of texts, which some servers send as one text. */
function readLists(document: JsonObject, fields: readonly string[]): Readonly<Record<string, string[]>> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = document[field]
      const list: readonly unknown[] = typeof value === 'string' ? value.split(' ') : (toList(value) ?? [])
      const texts = list.filter((item) => typeof item === 'string' && item !== '') as string[]
      return texts.length === 0 ? [] : [[field, texts]]
    }),
  )
}

/** Whether two addresses name the same issuer: the final slash, the case of the host and the default port do not count. */
export function isSameIssuer(first: string, second: string): boolean {
  const [one, other] = [first, second].map((address) => trimSlash(URL.parse(address)?.href ?? address))
  return one === other
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value)
}

function trimSlash(text: string): string {
  return text.replace(/\/$/, '')
}

function shorten(address: string): string {
  return (URL.parse(address)?.href ?? address).slice(0, 300)
}

const resourceMetadata = /(?:^|[\s,])resource_metadata\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s,]+))/i
const scope = /(?:^|[\s,])scope\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s,]+))/i

/** The parameters of the challenges in a response 401 or 403 that matter here, in whatever form a server writes them. */
export function readChallenge(
  response: Response,
  serverUrl: URL,
): { readonly resourceMetadataUrl: URL | undefined; readonly scope: string | undefined } {
  const header = response.headers.get('www-authenticate') ?? ''
  const find = (parameter: RegExp): string | undefined => {
    const [, doubleQuoted, singleQuoted, bare] = parameter.exec(header) ?? []
    return (doubleQuoted ?? singleQuoted ?? bare) || undefined
  }
  const address = find(resourceMetadata)
  const resourceMetadataUrl =
    address === undefined ? undefined : (URL.parse(address, serverUrl.href) ?? undefined)
  return { resourceMetadataUrl, scope: find(scope) }
}

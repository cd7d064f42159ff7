import type {
  OAuthClientMetadata,
  OAuthClientInformationContext,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthMetadata,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { connectorConsentContext } from '../../db/secrets/seal-contexts.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { hashSecret, randomSecret } from '../../lib/secret.ts'
import { isHeaderSecret } from '../../lib/text.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { findClient } from './client-secret.ts'
import { type ConsentRequest, type PendingConsent, maxConsentMs } from './consent-request.ts'
import { changeGrant, findGrant, insertConsent, saveGrant, type Grant } from './grant-store.ts'
import { revokeGrant } from './revoke-grant.ts'

/** The path to which authorization servers redirect users back. */
export const callbackPath = '/api/connector-oauth/callback'

function redirectAddress(publicUrl: string): string {
  return `${publicUrl}${callbackPath}`
}

/** The longest JSON that is stored of a server's metadata, and of its tokens. */
const maxPartChars = 64_000

/** Whether a text has only characters that OAuth allows in a client's id and secret (RFC 6749, appendix A). */
function isClientText(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

/** Creates our client metadata for authorization servers. */
export function createClientMetadata(publicUrl: string): OAuthClientMetadata {
  return {
    client_name: 'Yonder',
    client_uri: publicUrl,
    redirect_uris: [redirectAddress(publicUrl)],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** What an OAuth client does for its connector. */
export interface AuthorizationStep {
  /** The user can be sent to the consent page. */
  readonly request?: ConsentRequest | undefined
  /** The user comes back from it. */
  readonly pending?: PendingConsent
  /**
   * The tokens of this grant are refreshed. When other tokens are stored by then, or none, the result of the refresh is
   * dropped.
   */
  readonly refreshed?: Grant
  /** Asks the connector's server again which authorization server it has. */
  readonly rediscovers?: boolean
}

/**
 * Our OAuth client for one step. What the SDK finds out about an authorization server is kept with the pending consent,
 * and stored in the database, in place of the former grant, when that server has granted tokens.
 */
export class ConnectorOAuth implements OAuthClientProvider {
  readonly clientMetadataUrl?: string
  readonly #deps: ConnectorDeps
  readonly #connector: ConnectorRow
  readonly #step: AuthorizationStep
  #state = ''
  #verifier = ''
  /** What this step has found out; null when the SDK has found that it is not valid. */
  #discovery: OAuthDiscoveryState | null | undefined
  #client: StoredOAuthClientInformation | null | undefined

  constructor(deps: ConnectorDeps, connector: ConnectorRow, step: AuthorizationStep = {}) {
    this.#deps = deps
    this.#connector = connector
    this.#step = step
    this.#discovery = step.rediscovers === true ? null : undefined
    if (deps.settings.clientMetadataUrl !== null) this.clientMetadataUrl = deps.settings.clientMetadataUrl
  }

  get redirectUrl(): string {
    return redirectAddress(this.#deps.settings.publicUrl)
  }

  /** For a server that has no public clients, a client with a secret is registered. */
  get clientMetadata(): OAuthClientMetadata {
    const methods = this.#discovery?.authorizationServerMetadata?.token_endpoint_auth_methods_supported ?? []
    const method = ['none', 'client_secret_post', 'client_secret_basic'].find((each) =>
      methods.includes(each),
    )
    return {
      ...createClientMetadata(this.#deps.settings.publicUrl),
      ...(method !== undefined && { token_endpoint_auth_method: method }),
    }
  }

  state(): string {
    this.#state = randomSecret()
    return this.#state
  }

  /** The SDK reads the client before it registers one, opens a page or sends a token, so the origins are checked here. */
  async clientInformation(
    ctx?: OAuthClientInformationContext,
  ): Promise<StoredOAuthClientInformation | undefined> {
    const { issuer } = requireContext(ctx)
    await this.#requireConfirmed(issuer)
    const registered = (await this.#registeredClient()) ?? undefined
    const client = await findClient(this.#deps, this.#connector, issuer, registered)
    const metadata = (await this.discoveryState())?.authorizationServerMetadata
    const accepts =
      metadata?.client_id_metadata_document_supported === true && this.clientMetadataUrl !== undefined
    if (
      client === undefined &&
      metadata !== undefined &&
      metadata.registration_endpoint === undefined &&
      !accepts
    )
      throw noRegistration()
    return client
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    if (![client.client_id, client.client_secret ?? ''].every(isClientText)) {
      throw new AppError(
        'upstream_invalid',
        'The authorization server registered a client whose id or secret contains a line break or another character that no request can carry. Report this to those who run that server, or enter a client of your own.',
      )
    }
    this.#client = client
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    const { refreshed } = this.#step
    const grant = await this.#grant()
    const isOther = refreshed !== undefined && refreshed.sealedTokens !== grant?.sealedTokens
    return isOther ? undefined : grant?.tokens?.tokens
  }

  async saveTokens(tokens: StoredOAuthTokens, ctx?: OAuthClientInformationContext): Promise<void> {
    const { pending, refreshed } = this.#step
    const { issuer } = requireContext(ctx)
    if (!isHeaderSecret(tokens.access_token)) {
      throw new AppError(
        'upstream_invalid',
        'The authorization server returned an access token with a space, a line break or another character that no request can carry. Connect again, or report this to those who run that server.',
      )
    }
    const former = await this.#grant()
    // A server that returns no scope has granted the requested scope.
    const scope = tokens.scope ?? pending?.scope ?? former?.tokens?.tokens.scope
    const granted = scope === undefined ? tokens : { ...tokens, scope }
    const expiresAt = tokens.expires_in === undefined ? null : this.#deps.now() + tokens.expires_in * 1_000
    const discovery = (await this.discoveryState()) ?? null
    const grant = {
      issuer,
      tokens: { tokens: granted, expiresAt },
      details: {
        client: await this.#registeredClient(),
        discovery,
        // A refresh cannot widen the scope (RFC 6749, section 6).
        wantedScope: pending === undefined ? (former?.details.wantedScope ?? null) : null,
        confirmed: listForeignOrigins(this.#connector.url, issuer, discovery ?? undefined),
      },
    }
    requireStorable(granted)
    const isSaved =
      refreshed === undefined
        ? await saveGrant(this.#deps, this.#connector, grant)
        : await changeGrant(this.#deps, this.#connector, refreshed, grant)
    if (!isSaved) {
      throw new AppError(
        'conflict',
        refreshed === undefined
          ? `The connector "${this.#connector.name}" has just been deleted, or its address has just been changed. Connect it again if you still need it.`
          : `The connector "${this.#connector.name}" was changed, connected again or disconnected before the request was sent. Try again.`,
      )
    }
    if (former !== undefined && former.issuer !== issuer)
      void revokeGrant(this.#deps, this.#connector, former)
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    if (this.#step.pending === undefined) throw new Error('There is no pending consent.')
    return this.#step.pending.verifier
  }

  /**
   * Stores the pending consent under a state that only this browser can redeem, and sets the request's
   * `authorizationUrl`.
   */
  async redirectToAuthorization(address: URL): Promise<void> {
    const { request } = this.#step
    if (request === undefined) return
    const { database, sealer, now, settings } = this.#deps
    requireSafeAddress(address, settings.publicUrl)
    const discovery = await this.discoveryState()
    const pending: PendingConsent = {
      verifier: this.#verifier,
      returnTo: request.returnTo,
      credentialVersion: this.#connector.credential_version,
      discovery,
      confirmed: listForeignOrigins(this.#connector.url, issuerOf(discovery), discovery),
      client: await this.#registeredClient(),
      scope: address.searchParams.get('scope'),
    }
    const consent = {
      state_hash: hashSecret(this.#state),
      connector_id: this.#connector.id,
      user_id: this.#connector.user_id,
      browser_hash: hashSecret(request.browserKey),
    }
    const payload = sealer.seal(JSON.stringify(pending), connectorConsentContext(consent))
    const expires_at = now() + maxConsentMs
    await insertConsent(database.db, { ...consent, payload, expires_at }, now())
    request.authorizationUrl = address
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    const { pending } = this.#step
    if (this.#discovery !== undefined) return this.#discovery ?? undefined
    return pending === undefined ? ((await this.#grant())?.details.discovery ?? undefined) : pending.discovery
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    requireAddress(issuerOf(state))
    requireStorable(state)
    this.#discovery = state
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'discovery' || scope === 'all') this.#discovery = null
    if (scope === 'client' || scope === 'all') this.#client = null
    const { refreshed } = this.#step
    // A server that refuses a new code says nothing about the tokens that are stored.
    if (refreshed === undefined) return
    const { details } = refreshed
    if (scope === 'client' || scope === 'all')
      await changeGrant(this.#deps, this.#connector, refreshed, { details: { ...details, client: null } })
    if (scope === 'tokens' || scope === 'all')
      await changeGrant(this.#deps, this.#connector, refreshed, { tokens: null })
  }

  /** Returns the scope that the next consent must request, because a call lacked part of it; else null. */
  async wantedScope(): Promise<string | null> {
    return (await this.#grant())?.details.wantedScope ?? null
  }

  async saveWantedScope(wantedScope: string): Promise<void> {
    const grant = await this.#grant()
    if (grant === undefined) return
    await changeGrant(this.#deps, this.#connector, grant, { details: { ...grant.details, wantedScope } })
  }

  /**
   * Checks that the user has confirmed every origin of this authorization server that is not the connector's, now or at
   * an earlier consent.
   * @throws AppError `upstream_refused_key` when an origin is not confirmed; the request then names those to confirm
   */
  async #requireConfirmed(issuer: string): Promise<void> {
    const { request, pending } = this.#step
    const grant = await this.#grant()
    const confirmed = new Set([
      ...(grant?.issuer === issuer ? grant.details.confirmed : []),
      ...(pending?.confirmed ?? []),
      ...(request?.confirmedOrigins ?? []),
    ])
    const discovery = await this.discoveryState()
    const missing = listForeignOrigins(this.#connector.url, issuer, discovery).filter(
      (origin) => !confirmed.has(origin),
    )
    if (missing.length === 0) return
    const page = discovery?.authorizationServerMetadata?.authorization_endpoint
    // A page that would not be opened is refused at once.
    if (page !== undefined) requireSafeAddress(new URL(page), this.#deps.settings.publicUrl)
    if (request !== undefined) request.originsToConfirm = missing
    throw unconfirmed(this.#connector.name, missing)
  }

  async #registeredClient(): Promise<StoredOAuthClientInformation | null> {
    if (this.#client !== undefined) return this.#client
    return this.#step.pending === undefined
      ? ((await this.#grant())?.details.client ?? null)
      : this.#step.pending.client
  }

  #grant(): Promise<Grant | undefined> {
    return findGrant(this.#deps, this.#connector)
  }
}

/** The SDK always names the authorization server. */
function requireContext(ctx: OAuthClientInformationContext | undefined): OAuthClientInformationContext {
  if (ctx === undefined) throw new Error('The authorization server has no issuer.')
  return ctx
}

function issuerOf(state: OAuthDiscoveryState | undefined): string {
  const issuer = state?.authorizationServerMetadata?.issuer ?? state?.authorizationServerUrl
  if (issuer === undefined) throw new Error('The authorization server has no issuer.')
  return issuer
}

/** @throws AppError `output_limit` */
function requireStorable(part: unknown): void {
  if (JSON.stringify(part).length <= maxPartChars) return
  throw new AppError(
    'output_limit',
    'The authorization server sent more data than can be stored. Report this to those who run that server.',
  )
}

/**
 * Checks the page that a browser is sent to. The page must use TLS, unless it and Yonder are both on the local machine.
 * @throws AppError `address_refused`
 */
function requireSafeAddress(address: URL, publicUrl: string): void {
  if (address.protocol === 'https:') return
  if (address.protocol === 'http:' && isLocal(address) && isLocal(new URL(publicUrl))) return
  throw new AppError(
    'address_refused',
    'The sign-in page of the authorization server has no HTTPS address, so it was not opened. Ask those who run that server to correct it.',
  )
}

function isLocal({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/**
 * Returns the origins of an authorization server that are not the connector's own: of its address, its issuer and its
 * endpoints. The user confirms them before we register there or open a page.
 * @throws AppError `address_refused` for an address that users could misread or that cannot be stored
 */
function listForeignOrigins(
  connectorUrl: string,
  issuer: string,
  state: OAuthDiscoveryState | undefined,
): string[] {
  const metadata: Partial<OAuthMetadata> = state?.authorizationServerMetadata ?? {}
  const addresses = [
    issuer,
    state?.authorizationServerUrl,
    metadata.authorization_endpoint,
    metadata.token_endpoint,
    metadata.registration_endpoint,
    metadata.revocation_endpoint,
  ].filter((address) => address !== undefined)
  const own = new URL(connectorUrl).origin
  const origins = addresses.map((address) => requireAddress(address).origin)
  return [...new Set(origins)].filter((origin) => origin !== own)
}

/** An issuer is part of a key in the database, and PostgreSQL limits the length of keys. */
const maxAddressChars = 2_000
const visibleAscii = /^[\x21-\x7e]+$/

/**
 * Checks an address of an authorization server, before it is stored, requested or shown.
 * @throws AppError `address_refused`
 */
function requireAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !['https:', 'http:'].includes(url.protocol) || !visibleAscii.test(address)) {
    throw refuse('is not a web address in plain ASCII characters')
  }
  if (address.length > maxAddressChars)
    throw refuse(`has more than ${maxAddressChars.toLocaleString('en')} characters`)
  // The part before the `@` can look like a host name.
  if (url.username !== '' || url.password !== '') throw refuse('contains a user name or a password')
  return url
}

function refuse(problem: string): AppError {
  return new AppError(
    'address_refused',
    `An address of the authorization server ${problem}, so it was not opened. Ask those who run that server to correct it.`,
  )
}

/** The error for an authorization server where the user has to register a client by hand. */
export function noRegistration(): AppError {
  return new AppError(
    'upstream_refused_key',
    'This server does not register clients. Enter a client id under Advanced.',
  )
}

/** The error of a connector whose authorization server the user has not confirmed. */
function unconfirmed(name: string, origins: readonly string[]): AppError {
  return new AppError(
    'upstream_refused_key',
    `"${name}" signs in at ${origins.join(' and ')}, which you have not confirmed. Connect it again to confirm the address.`,
  )
}

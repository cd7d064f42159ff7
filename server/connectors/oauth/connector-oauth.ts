import type {
  OAuthClientMetadata,
  OAuthClientInformationContext,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { connectorConsentContext } from '../../db/secrets/seal-contexts.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { isHeaderSecret } from '../../lib/text.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { openClientSecret } from './client-secret.ts'
import { listForeignOrigins, requireAddress, unconfirmed } from './confirmed-origins.ts'
import {
  type ConsentRequest,
  type PendingConsent,
  maxConsentMs,
  hashSecret,
  randomSecret,
} from './consent-request.ts'
import { deleteExpiredConsents, insertConsent } from './consent-store.ts'
import {
  clearGrants,
  listGrants,
  saveGrant,
  type GrantData,
  type Grant,
  type GrantParts,
  type SaveOptions,
  type StoredDiscovery,
} from './grant-store.ts'
import { canRevoke, createRevocation, revoke } from './revocation.ts'

/** The path to which authorization servers redirect users back. */
export const callbackPath = '/api/connector-oauth/callback'

function redirectAddress(publicUrl: string): string {
  return `${publicUrl}${callbackPath}`
}

/** The longest JSON that is stored in each column of a grant: `client`, `tokens` and `discovery`. */
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

/**
 * Our OAuth client for one connector. Stores the SDK's data in the database for each authorization server, with sealed
 * secrets. With `request`, the user can be sent to the consent page; with `pending`, the user comes back from it; with
 * neither, no consent is requested. With `refreshed`, only the tokens of that grant are replaced or cleared: when other
 * tokens are stored by then, or none, the result of the refresh is dropped.
 */
export class ConnectorOAuth implements OAuthClientProvider {
  readonly clientMetadataUrl?: string
  readonly #deps: ConnectorDeps
  readonly #connector: ConnectorRow
  readonly #request: ConsentRequest | undefined
  readonly #pending: PendingConsent | undefined
  /** The stored form of the tokens that are being refreshed. */
  readonly #refreshed: string | undefined
  #state = ''
  #verifier = ''

  constructor(
    deps: ConnectorDeps,
    connector: ConnectorRow,
    step: {
      readonly request?: ConsentRequest | undefined
      readonly pending?: PendingConsent
      readonly refreshed?: Pick<Grant, 'sealedTokens'>
    } = {},
  ) {
    this.#deps = deps
    this.#connector = connector
    this.#request = step.request
    this.#pending = step.pending
    this.#refreshed = step.refreshed?.sealedTokens ?? undefined
    if (deps.settings.clientMetadataUrl !== null) this.clientMetadataUrl = deps.settings.clientMetadataUrl
  }

  get redirectUrl(): string {
    return redirectAddress(this.#deps.settings.publicUrl)
  }

  get clientMetadata(): OAuthClientMetadata {
    return createClientMetadata(this.#deps.settings.publicUrl)
  }

  state(): string {
    this.#state = randomSecret()
    return this.#state
  }

  async clientInformation(
    ctx?: OAuthClientInformationContext,
  ): Promise<StoredOAuthClientInformation | undefined> {
    const { client_id, client_secret } = this.#connector
    if (ctx !== undefined) await this.#confirmOrigins(ctx.issuer)
    if (client_id === null) return (await this.#find(ctx))?.client ?? undefined
    if (ctx === undefined) return { client_id }
    const { issuer } = ctx
    if (client_secret === null) return { client_id, issuer }
    const secret = await openClientSecret(this.#deps, this.#connector, client_secret, issuer)
    return { client_id, client_secret: secret, issuer }
  }

  async saveClientInformation(
    client: StoredOAuthClientInformation,
    ctx?: OAuthClientInformationContext,
  ): Promise<void> {
    if (![client.client_id, client.client_secret ?? ''].every(isClientText)) {
      throw new AppError(
        'upstream_invalid',
        'The authorization server registered a client whose id or secret contains a line break or another character that no request can carry. Report this to those who run that server, or enter a client of your own.',
      )
    }
    await this.#save(ctx?.issuer ?? client.issuer, { client })
  }

  async tokens(ctx?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    const grant = await this.#find(
      ctx,
      ({ tokens, sealedTokens }) =>
        tokens !== null && (this.#refreshed === undefined || this.#refreshed === sealedTokens),
    )
    return grant?.tokens?.tokens
  }

  async saveTokens(tokens: StoredOAuthTokens, ctx?: OAuthClientInformationContext): Promise<void> {
    if (!isHeaderSecret(tokens.access_token)) {
      throw new AppError(
        'upstream_invalid',
        'The authorization server returned an access token with a space, a line break or another character that no request can carry. Connect again, or report this to those who run that server.',
      )
    }
    // A server that returns no scope has granted the requested scope.
    const scope = tokens.scope ?? this.#pending?.scope ?? (await this.tokens(ctx))?.scope
    const granted = scope === undefined ? tokens : { ...tokens, scope }
    const expiresAt = tokens.expires_in === undefined ? null : this.#deps.now() + tokens.expires_in * 1_000
    const isNewConsent = this.#pending !== undefined
    const replaced = this.#refreshed
    await this.#save(
      ctx?.issuer ?? tokens.issuer,
      { tokens: { tokens: granted, expiresAt } },
      replaced === undefined ? { isNewConsent } : { replaced },
    )
    // A refresh cannot widen the scope (RFC 6749, section 6).
    if (isNewConsent) await this.saveWantedScope(null)
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    if (this.#pending === undefined) throw new Error('There is no pending consent.')
    return this.#pending.verifier
  }

  /**
   * Stores the pending consent under a state that only this browser can redeem, and sets the request's
   * `authorizationUrl`.
   */
  async redirectToAuthorization(address: URL): Promise<void> {
    const request = this.#request
    if (request === undefined) return
    const { database, sealer, now, settings } = this.#deps
    requireSafeAddress(address, settings.publicUrl)
    const pending: PendingConsent = {
      verifier: this.#verifier,
      returnTo: request.returnTo,
      credentialVersion: this.#connector.credential_version,
      discovery: await this.discoveryState(),
      scope: address.searchParams.get('scope'),
    }
    await deleteExpiredConsents(database.db, now())
    const consent = {
      state_hash: hashSecret(this.#state),
      connector_id: this.#connector.id,
      user_id: this.#connector.user_id,
      browser_hash: hashSecret(request.browserKey),
    }
    await insertConsent(database.db, {
      ...consent,
      payload: sealer.seal(JSON.stringify(pending), connectorConsentContext(consent)),
      expires_at: now() + maxConsentMs,
    })
    request.authorizationUrl = address
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    if (this.#pending !== undefined) return this.#pending.discovery
    return (await this.#discovery())?.state ?? undefined
  }

  async saveDiscoveryState(state: OAuthDiscoveryState): Promise<void> {
    const issuer = state.authorizationServerMetadata?.issuer ?? state.authorizationServerUrl
    const wantedScope = (await this.#discovery())?.wantedScope ?? null
    const confirmed = (await this.#find({ issuer }))?.discovery?.confirmed ?? []
    await this.#save(issuer, { discovery: { state, wantedScope, confirmed } })
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'verifier') return
    const columns = scope === 'all' ? (['client', 'tokens', 'discovery'] as const) : [scope]
    const sealedTokens = scope === 'all' || scope === 'tokens' ? this.#refreshed : undefined
    await clearGrants(this.#deps, this.#connector, columns, sealedTokens)
  }

  /** Returns the scope that the next consent must request, because a call lacked part of it; else null. */
  async wantedScope(): Promise<string | null> {
    return (await this.#discovery())?.wantedScope ?? null
  }

  async saveWantedScope(wantedScope: string | null): Promise<void> {
    const grant = await this.#find(undefined, ({ discovery }) => discovery !== null)
    if (!grant?.discovery) return
    await this.#save(grant.issuer, { discovery: { ...grant.discovery, wantedScope } })
  }

  /**
   * Checks that the user has confirmed every origin of this authorization server that is not the connector's. Stores
   * those that the user confirms with this request. The SDK reads our client before it registers one, opens a page or
   * sends a token, so `clientInformation` makes this check.
   * @throws AppError `upstream_refused_key` when an origin is not confirmed; the request then names those to confirm
   */
  async #confirmOrigins(issuer: string): Promise<void> {
    const discovery = (await this.#find({ issuer }))?.discovery ?? null
    const state = this.#pending?.discovery ?? discovery?.state ?? undefined
    const foreign = listForeignOrigins(this.#connector.url, issuer, state)
    const confirmed = discovery?.confirmed ?? []
    const missing = foreign.filter((origin) => !confirmed.includes(origin))
    if (missing.length === 0) return
    const request = this.#request
    if (request === undefined || !missing.every((origin) => request.confirmedOrigins.includes(origin))) {
      const page = state?.authorizationServerMetadata?.authorization_endpoint
      // A page that would not be opened is refused at once.
      if (page !== undefined) requireSafeAddress(new URL(page), this.#deps.settings.publicUrl)
      if (request !== undefined) request.originsToConfirm = missing
      throw unconfirmed(this.#connector.name, missing)
    }
    const wantedScope = discovery?.wantedScope ?? null
    await this.#save(issuer, {
      discovery: { ...discovery, state: state ?? null, wantedScope, confirmed: [...confirmed, ...missing] },
    })
  }

  async #discovery(): Promise<StoredDiscovery | undefined> {
    const grant = await this.#find(undefined, ({ discovery }) => discovery !== null)
    return grant?.discovery ?? undefined
  }

  async #find(
    ctx: OAuthClientInformationContext | undefined,
    has: (grant: Grant) => boolean = () => true,
  ): Promise<Grant | undefined> {
    const grants = await listGrants(this.#deps, this.#connector)
    return grants.find((grant) => (ctx === undefined || grant.issuer === ctx.issuer) && has(grant))
  }

  async #save(issuer: string | undefined, parts: Partial<GrantParts>, options?: SaveOptions): Promise<void> {
    if (issuer === undefined) throw new Error('The authorization server has no issuer.')
    requireAddress(issuer)
    if (Object.values(parts).some((part) => JSON.stringify(part).length > maxPartChars)) {
      throw new AppError(
        'output_limit',
        'The authorization server sent more data than can be stored. Report this to those who run that server.',
      )
    }
    const deleted = await saveGrant(this.#deps, this.#connector, issuer, parts, options)
    if (deleted === undefined) {
      throw new AppError(
        'conflict',
        options?.replaced === undefined
          ? `The connector "${this.#connector.name}" has just been deleted, or its address has just been changed. Connect it again if you still need it.`
          : `The connector "${this.#connector.name}" was changed, connected again or disconnected before the request was sent. Try again.`,
      )
    }
    for (const grant of deleted) void this.#revokeDeleted(grant)
  }

  /** Revokes the tokens of a grant that was deleted to make room, with the client that got them. */
  async #revokeDeleted(grant: GrantData): Promise<void> {
    if (!canRevoke(grant)) return
    try {
      const { client_id } = this.#connector
      const client = client_id === null ? grant.client : await this.clientInformation(grant)
      const revocation = client ? createRevocation(grant, client) : undefined
      if (revocation !== undefined) await revoke(this.#deps, new URL(this.#connector.url), revocation)
    } catch (error) {
      this.#deps.onError(error)
    }
  }
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

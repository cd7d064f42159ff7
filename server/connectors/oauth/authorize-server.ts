import {
  computeScopeUnion,
  UnauthorizedError,
  isStrictScopeSuperset,
  type InsufficientScopeError,
} from '@modelcontextprotocol/client'
import { openJson, toOrigin, type Credential } from '../../db/secrets/credential.ts'
import { connectorTokenContext } from '../../db/secrets/seal-contexts.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import { quoteResponse, readErrorBody } from '../../lib/quote-server.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { hasAuthorization } from '../connector-headers.ts'
import type { ConnectionAuth } from '../mcp/connect-server.ts'
import { refusedAccess } from '../mcp/explain-failure.ts'
import { ConnectorOAuth } from './connector-oauth.ts'
import type { ConsentRequest } from './consent-request.ts'
import { readChallenge } from './discover-authorization.ts'
import { findGrant, grantLease, type Grant } from './grant-store.ts'
import { runAuth } from './run-auth.ts'

/** A token that expires within this time is refreshed before it is sent. */
const refreshBeforeMs = 30_000

/**
 * Returns the SDK's provider for the authorization of requests to a connector's server: with the token or the
 * header Authorization that the user entered, else by OAuth if the server requires it. With `consent`, the user can be sent to a consent page.
 * @throws AppError `upstream_refused_key` when the entered token may not be sent or cannot be decrypted
 */
export async function createAuthProvider(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  url: URL,
  consent: ConsentRequest | undefined,
): Promise<ConnectionAuth> {
  if (usesOAuth(deps, connector)) return authorizeByOAuth(deps, connector, url, consent)
  const token = connector.token === null ? undefined : openToken(deps, connector, connector.token)
  return {
    token: () => Promise.resolve(token),
    async onUnauthorized({ response }) {
      throw refusedAccess(response.status, quoteResponse(await readErrorBody(response)), connector)
    },
  }
}

/** Whether the user has entered neither a token nor a header Authorization. */
export function usesOAuth({ sealer }: Pick<ConnectorDeps, 'sealer'>, connector: ConnectorRow): boolean {
  return connector.token === null && !hasAuthorization(sealer, connector)
}

/** A token is sent only to the address that it was entered for. */
function openToken({ sealer }: ConnectorDeps, connector: ConnectorRow, sealed: string): string {
  const stored = openJson(sealer, connectorTokenContext(connector), sealed) as Credential | undefined
  if (stored?.address === toOrigin(connector.url)) return stored.secret
  throw new AppError(
    'upstream_refused_key',
    stored === undefined
      ? `The stored token of "${connector.name}" cannot be decrypted, because SECRET_KEY has changed. Enter the token again.`
      : `The token of "${connector.name}" was not sent, because it was entered for another address (${stored.address}). Enter the token again.`,
  )
}

type GrantWithTokens = Grant & { readonly tokens: NonNullable<Grant['tokens']> }

function hasTokens(grant: Grant): grant is GrantWithTokens {
  return grant.tokens !== null
}

function authorizeByOAuth(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  url: URL,
  consent: ConsentRequest | undefined,
): ConnectionAuth {
  /** The access token of the latest request. */
  let sentToken: string | undefined
  let refreshToken: string | undefined
  let attempts = 0

  async function findCurrent(): Promise<GrantWithTokens | undefined> {
    const grant = await findGrant(deps, connector)
    if (grant === undefined || !hasTokens(grant)) return undefined
    // The user may have consented with another account after the request was approved.
    if (grant.credentialVersion !== connector.credential_version) {
      throw new AppError(
        'conflict',
        `The connector "${connector.name}" was connected again before the request was sent. Try again.`,
      )
    }
    return grant
  }

  /**
   * Refreshes the tokens and returns whether there are new ones. While the user connects, a failure leads to a new
   * consent instead, because the server may have moved to an authorization server that the user has to confirm
   * first.
   */
  async function refresh(grant: GrantWithTokens, options?: RefreshOptions): Promise<boolean> {
    try {
      return await refreshTokens(deps, connector, url, grant, options)
    } catch (error) {
      if (consent === undefined) throw error
      return false
    }
  }

  function expiresSoon({ tokens: { tokens, expiresAt } }: GrantWithTokens): boolean {
    const canRefresh = expiresAt !== null && tokens.refresh_token !== undefined
    return canRefresh && expiresAt - refreshBeforeMs < deps.now()
  }

  return {
    resetAttempts() {
      attempts = 0
    },
    async token() {
      let grant = await findCurrent()
      if (grant !== undefined && expiresSoon(grant)) {
        await refresh(grant)
        grant = await findCurrent()
      }
      sentToken = grant?.tokens.tokens.access_token
      refreshToken = grant?.tokens.tokens.refresh_token
      return sentToken
    },
    secrets: () => (refreshToken === undefined ? [] : [refreshToken]),
    async onUnauthorized({ response }) {
      if (++attempts > deps.settings.limits.maxAuthorizations) throw new UnauthorizedError()
      const { resourceMetadataUrl, scope } = readChallenge(response, url)
      const words = quoteResponse(await readErrorBody(response))
      const grant = await findCurrent()
      if (grant !== undefined) {
        // Another request has refreshed the token since this one was sent, so the new token is tried.
        if (grant.tokens.tokens.access_token !== sentToken) return
        // The current token is refused: it may have expired, or the server uses another authorization server now.
        if (await refresh(grant, { rediscovers: true, resourceMetadataUrl })) return
      }
      if (consent === undefined) throw new UnauthorizedError(words)
      // A user who connects is sent to the authorization server that the connector's server names now.
      const oauth = new ConnectorOAuth(deps, connector, { request: consent, rediscovers: true })
      const granted = (await oauth.tokens())?.scope
      // Without `forceReauthorization` the SDK would send the refresh token again, although no lease is held.
      await runAuth(deps, oauth, url, {
        resourceMetadataUrl,
        scope: computeScopeUnion(granted, scope),
        forceReauthorization: true,
        withoutOAuth: new AppError(
          'upstream_refused_key',
          `The server refused access and offers no sign-in. Enter a token, or a header such as X-API-Key under Advanced.${words}`,
        ),
      })
      throw new UnauthorizedError()
    },
  }
}

interface RefreshOptions {
  /** Asks the connector's server again which authorization server it has. */
  readonly rediscovers?: boolean
  readonly resourceMetadataUrl?: URL | undefined
}

/** Refreshes the tokens of a grant, on only one node at a time. Returns whether there are new tokens. */
export async function refreshTokens(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  url: URL,
  grant: GrantWithTokens,
  { rediscovers = false, resourceMetadataUrl }: RefreshOptions = {},
): Promise<boolean> {
  if (grant.tokens.tokens.refresh_token === undefined) return false
  // Tokens of a new consent do not wait for the refresh of the former ones.
  return deps.shared.tokenLeases.refresh(`${connector.id} ${grant.sealedTokens}`, {
    ...grantLease(deps.database, connector, grant),
    async refresh() {
      const oauth = new ConnectorOAuth(deps, connector, { refreshed: grant, rediscovers })
      const result = await runAuth(deps, oauth, url, { resourceMetadataUrl })
      return result === 'AUTHORIZED'
    },
    async findResult() {
      const current = await findGrant(deps, connector)
      if (current === undefined) return false
      if (current.sealedTokens !== grant.sealedTokens) return current.tokens !== null
      return current.refreshing_until === null ? false : undefined
    },
    onTimeout: () => false,
  })
}

/**
 * Starts a consent to a larger scope when the server has refused a request because of an insufficient scope: just now
 * (`refusal`) or during an earlier call. Returns true when the user has to consent, and false when there is no scope to
 * request, such as when it is already granted.
 */
export async function requestMissingScope(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  consent: ConsentRequest,
  refusal?: InsufficientScopeError,
): Promise<boolean> {
  if (connector.token !== null || connector.is_default === 1) return false
  const oauth = new ConnectorOAuth(deps, connector, { request: consent, rediscovers: true })
  const wanted = refusal === undefined ? ((await oauth.wantedScope()) ?? undefined) : refusal.requiredScope
  const scope = await findLargerScope(oauth, wanted)
  if (scope === undefined) return false
  const url = deps.guards.userSupplied.requireUrl(connector.url)
  await runAuth(deps, oauth, url, {
    scope,
    forceReauthorization: true,
    resourceMetadataUrl: refusal?.resourceMetadataUrl,
  })
  return consent.authorizationUrl !== null
}

/**
 * Stores the scope that a call lacked, together with the granted one, so that the next consent requests both.
 * Returns false, and stores nothing, when the server named no scope or has granted it already.
 */
export async function rememberMissingScope(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  { requiredScope }: InsufficientScopeError,
): Promise<boolean> {
  const oauth = new ConnectorOAuth(deps, connector)
  const scope = await findLargerScope(oauth, requiredScope)
  if (scope === undefined) return false
  await oauth.saveWantedScope(scope)
  return true
}

/** Returns the granted scope with the wanted one, or undefined when that is no more than what is granted. */
async function findLargerScope(
  oauth: ConnectorOAuth,
  wanted: string | undefined,
): Promise<string | undefined> {
  const granted = (await oauth.tokens())?.scope
  const scope = computeScopeUnion(granted, wanted)
  return scope !== undefined && isStrictScopeSuperset(scope, granted) ? scope : undefined
}

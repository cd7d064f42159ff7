import {
  computeScopeUnion,
  extractWWWAuthenticateParams,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { AuthProvider } from '@modelcontextprotocol/client'
import type { ConnectorGrantRow, ConnectorRow } from '../../db/tables/connector-tables.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { listGrants } from './grant-store.ts'
import { ConnectorOAuth } from './connector-oauth.ts'
import type { ConsentRequest } from './consent-request.ts'
import { refreshTokens } from './refresh-tokens.ts'
import { runAuth } from './run-auth.ts'
import { openTokens } from './stored-tokens.ts'

/** A token is refreshed this long before it expires. */
const refreshBeforeMs = 30_000

/**
 * Authorizes requests to a connector's server with the token that the user entered, else by OAuth if the server
 * requires it.
 */
export async function authorizeServer(
  deps: ConnectorDeps,
  connector: ConnectorRow,
  url: URL,
  consent: ConsentRequest | undefined,
): Promise<AuthProvider> {
  if (connector.token === null) return new ServerAuthorization(deps, connector, url, consent)
  const token = openToken(deps, connector, connector.token)
  return { token: () => Promise.resolve(token) }
}

function openToken({ sealer }: ConnectorDeps, { name }: ConnectorRow, token: string): string {
  try {
    return sealer.open(token)
  } catch (error) {
    throw new AppError(
      'upstream_refused_key',
      `The stored token of "${name}" cannot be decrypted, because SECRET_KEY has changed. Enter it again.`,
      { cause: error },
    )
  }
}

class ServerAuthorization implements AuthProvider {
  readonly #deps: ConnectorDeps
  readonly #connector: ConnectorRow
  readonly #url: URL
  readonly #consent: ConsentRequest | undefined
  #sent: string | undefined
  #attempts = 0

  constructor(deps: ConnectorDeps, connector: ConnectorRow, url: URL, consent: ConsentRequest | undefined) {
    this.#deps = deps
    this.#connector = connector
    this.#url = url
    this.#consent = consent
  }

  async token(): Promise<string | undefined> {
    let grant = await this.#findGrant()
    if (grant !== undefined && this.#expiresSoon(grant)) {
      await refreshTokens(this.#deps, this.#connector, this.#url, grant)
      grant = await this.#findGrant()
    }
    this.#sent = grant === undefined ? undefined : this.#read(grant).tokens.access_token
    return this.#sent
  }

  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    if (++this.#attempts > this.#deps.settings.limits.maxAuthorizations) throw new UnauthorizedError()
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
    const grant = await this.#findGrant()
    const oauth = new ConnectorOAuth(this.#deps, this.#connector, { request: this.#consent })
    if (grant !== undefined) {
      const { tokens } = this.#read(grant)
      // Another request has refreshed the token since this one was sent, so the new token is tried.
      if (tokens.access_token !== this.#sent) return
      // A valid token is refused: the server may have moved to another authorization server.
      await oauth.invalidateCredentials('discovery')
      if (await refreshTokens(this.#deps, this.#connector, this.#url, grant, resourceMetadataUrl)) return
    }
    if (this.#consent === undefined) throw new UnauthorizedError()
    const granted = (await oauth.tokens())?.scope
    const result = await runAuth(this.#deps, oauth, this.#url, {
      resourceMetadataUrl,
      scope: computeScopeUnion(granted, scope),
    })
    if (result !== 'AUTHORIZED') throw new UnauthorizedError()
  }

  async #findGrant(): Promise<ConnectorGrantRow | undefined> {
    const grants = await listGrants(this.#deps.database.db, this.#connector)
    return grants.find(({ tokens }) => tokens !== null)
  }

  #read({ tokens }: ConnectorGrantRow) {
    return openTokens(this.#deps.sealer, tokens ?? '')
  }

  #expiresSoon(grant: ConnectorGrantRow): boolean {
    const { tokens, expiresAt } = this.#read(grant)
    return (
      expiresAt !== null &&
      tokens.refresh_token !== undefined &&
      expiresAt - refreshBeforeMs < this.#deps.now()
    )
  }
}

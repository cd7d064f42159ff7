import { createHmac } from 'node:crypto'
import type * as Library from 'oidc-provider'
import type Provider from 'oidc-provider'

interface TokenWithId {
  generateTokenId(): string
}

/**
 * Derives each refresh token, whose id is the token itself, from the one that it replaces. When a token is used twice
 * within the overlap, by two tabs or after a lost response, both responses then contain the same next token.
 * Without the key, the next token cannot be computed from the old one. The library has no setting for this.
 */
export function deriveRefreshTokens(provider: Provider, library: typeof Library, key: string): void {
  const prototype = provider.RefreshToken.prototype as unknown as TokenWithId
  const generateTokenId = prototype.generateTokenId
  prototype.generateTokenId = function (this: TokenWithId) {
    const previous = library.Provider.ctx?.oidc.entities.RotatedRefreshToken
    return previous === undefined
      ? generateTokenId.call(this)
      : createHmac('sha256', key).update(previous.jti).digest('base64url')
  }
}

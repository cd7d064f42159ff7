import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export interface StandInKeys {
  /** The public key set. */
  readonly published: object
  /** The OpenID provider metadata. */
  describe(origin: string): object
  signIdToken(claims: {
    readonly issuer: string
    readonly clientId: string
    readonly account: string
    readonly nonce: string
  }): Promise<string>
}

/** Creates the keys with which the stand-in signs ID tokens. */
export async function createStandInKeys(): Promise<StandInKeys> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const key = { ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig', kid: 'stand-in' }
  return {
    published: { keys: [key] },
    describe: (origin) => ({
      issuer: origin,
      authorization_endpoint: `${origin}/o/oauth2/v2/auth`,
      token_endpoint: `${origin}/token`,
      revocation_endpoint: `${origin}/revoke`,
      jwks_uri: `${origin}/oauth2/v3/certs`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    }),
    signIdToken: ({ issuer, clientId, account, nonce }) =>
      new SignJWT({
        email: account,
        email_verified: true,
        name: account.split('@')[0] ?? account,
        ...(nonce === '' ? {} : { nonce }),
      })
        .setProtectedHeader({ alg: 'RS256', kid: 'stand-in' })
        .setIssuer(issuer)
        .setAudience(clientId)
        .setSubject(account)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
  }
}

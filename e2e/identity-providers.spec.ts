import {
  openHostileIdentityProvider,
  type Faults,
  type HostileIdentityProvider,
} from '../server/testing/identity/hostile-identity-provider.ts'
import { changeSession, expect, readStorage, requestToken, test } from './support/identity-fixtures.ts'
import { serveIdentityPage } from './support/servers.ts'

/** How the providers of companies and homes differ from the stand-in. */
interface Kind {
  readonly issuerPath: string
  readonly quirks: (provider: HostileIdentityProvider) => Faults
  readonly settings: (provider: HostileIdentityProvider) => Readonly<Record<string, string>>
  readonly button: string
  /** Parameters of the authorization request; null for those that it must not have. */
  readonly sent: Readonly<Record<string, string | null>>
}

const kinds: Readonly<Record<string, Kind>> = {
  // Access tokens without profile, userinfo that refuses them, no `iss` in the response, scopes for the API.
  Entra: {
    issuerPath: '/tenant/v2.0',
    quirks: () => ({
      discovery: { authorization_response_iss_parameter_supported: undefined },
      responseIssuer: null,
      accessToken: { aud: 'api-id', scp: 'access', azp: 'yonder-web', name: undefined, email: undefined },
      idToken: { preferred_username: 'grace@contoso.example', ver: '2.0' },
      status: { '/userinfo': 401 },
    }),
    settings: () => ({
      OIDC_AUDIENCE: 'api-id',
      OIDC_PROVIDER_NAME: 'Contoso',
      OIDC_PARAMS: 'scope=api://api-id/access&domain_hint=contoso.example',
    }),
    button: 'Sign in with Contoso',
    sent: {
      scope: 'openid profile email offline_access api://api-id/access',
      domain_hint: 'contoso.example',
      connection: null,
    },
  },
  // Tokens with a type, several audiences, another algorithm than RS256, and keys for encryption among the others.
  Keycloak: {
    issuerPath: '/realms/home',
    quirks: ({ audience }) => ({
      algorithm: 'PS256',
      discovery: { id_token_signing_alg_values_supported: ['HS256', 'none', 'PS256', 'ES256', 'RS256'] },
      accessToken: { typ: 'Bearer', aud: [audience, 'account'], azp: 'yonder-web' },
      idToken: { typ: 'ID', azp: 'yonder-web' },
      publish: (keys) => [{ ...keys[0], use: 'enc', alg: 'RSA-OAEP', kid: 'enc' }, ...keys],
    }),
    settings: () => ({ OIDC_PROVIDER_NAME: 'Home', OIDC_GOOGLE_PARAMS: 'kc_idp_hint=google' }),
    button: 'Sign in with Home',
    sent: { connection: null, kc_idp_hint: null },
  },
  // An issuer with a slash, the userinfo endpoint as a second audience, no profile in access tokens.
  Auth0: {
    issuerPath: '/',
    quirks: ({ audience, issuer }) => ({
      accessToken: {
        aud: [audience, `${issuer}userinfo`],
        scope: 'openid',
        name: undefined,
        email: undefined,
      },
      responseIssuer: null,
      discovery: { authorization_response_iss_parameter_supported: undefined },
    }),
    settings: () => ({}),
    button: 'Sign in with Google',
    sent: { connection: 'google-oauth2', audience: 'https://yonder.example/api' },
  },
  // The client id as the audience, and access tokens with the nonce of the sign-in.
  Authentik: {
    issuerPath: '/application/o/yonder/',
    quirks: ({ clientId }) => ({
      algorithm: 'ES256',
      accessToken: { aud: clientId, nonce: 'of the sign-in', azp: clientId, uid: 'random', amr: ['pwd'] },
      discovery: { id_token_signing_alg_values_supported: ['ES256'], response_modes_supported: ['query'] },
    }),
    settings: ({ clientId }) => ({
      OIDC_AUDIENCE: clientId,
      OIDC_ALLOW_CLIENT_ID_AUDIENCE: 'true',
      OIDC_PROVIDER_NAME: 'authentik',
    }),
    button: 'Sign in with authentik',
    sent: { connection: null },
  },
  // The client among the audiences of all tokens, profile claims at the userinfo endpoint only, EdDSA.
  Zitadel: {
    issuerPath: '',
    quirks: ({ clientId, audience }) => ({
      algorithm: 'EdDSA',
      idToken: { aud: [clientId, 'project'], azp: clientId, name: undefined, email: undefined, at_hash: 'x' },
      accessToken: { aud: [clientId, audience], name: undefined, email: undefined },
      discovery: { id_token_signing_alg_values_supported: undefined },
    }),
    settings: () => ({
      OIDC_PROVIDER_NAME: 'ZITADEL',
      OIDC_PARAMS: 'scope=urn:zitadel:iam:org:project:id:1:aud',
    }),
    button: 'Sign in with ZITADEL',
    sent: { scope: 'openid profile email offline_access urn:zitadel:iam:org:project:id:1:aud' },
  },
}

for (const [name, { issuerPath, quirks, settings, button, sent }] of Object.entries(kinds))
  test(`a user signs in at a provider like ${name}, stays signed in, and is known by name and e-mail`, async ({
    page,
    identityPage,
  }) => {
    const provider = await openHostileIdentityProvider(issuerPath)
    provider.faults = quirks(provider)
    const environment = {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_AUDIENCE: provider.audience,
      ...settings(provider),
    }
    await serveIdentityPage(identityPage, environment, async ({ baseUrl, readUser }) => {
      await page.goto(baseUrl)
      await page.getByRole('button', { name: button }).click()
      await expect(page.getByRole('heading', { name: /^Signed in as/ })).toBeVisible()
      const params = Object.fromEntries(provider.authorizations[0] ?? [])
      for (const [parameter, value] of Object.entries(sent))
        expect([parameter, params[parameter] ?? null]).toEqual([parameter, value])

      await changeSession(page, { expiresAt: Date.now() })
      const { token = '' } = await requestToken(page)
      expect(provider.tokenRequests).toHaveLength(2)
      expect(await (await readUser(token)).json()).toMatchObject({
        name: 'Grace Hopper',
        email: 'grace@example.com',
      })
    })
    await provider.close()
  })

test('a sign-in at Google is a second button where the provider has a name and parameters for it', async ({
  page,
  identityPage,
}) => {
  const provider = await openHostileIdentityProvider()
  const environment = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_AUDIENCE: provider.audience,
    OIDC_PROVIDER_NAME: 'Home',
    OIDC_GOOGLE_PARAMS: 'kc_idp_hint=google',
  }
  await serveIdentityPage(identityPage, environment, async ({ baseUrl }) => {
    await page.goto(baseUrl)
    await expect(page.getByRole('button')).toHaveText(['Sign in with Home', 'Sign in with Google'])
    await page.getByRole('button', { name: 'Sign in with Google' }).click()
    await expect(page.getByRole('heading', { name: 'Signed in as Grace Hopper' })).toBeVisible()
    expect(provider.authorizations[0]?.get('kc_idp_hint')).toBe('google')
  })
  await provider.close()
})

/** The parts of the page for the deletion of an account (`own-account.ts`). */
interface IdentityPage {
  readonly identity: object
  readonly ownAccount: {
    signInAgain(identity: object, returnTo: string): Promise<void>
    leaveDeleted(identity: object, clear: () => void): Promise<void>
  }
}

test('a user who has deleted the account proves who they are first, and is signed out at the provider', async ({
  page,
  identityPage,
  problems,
}) => {
  problems.expect(/The user has not signed in again/)
  const provider = await openHostileIdentityProvider()
  const authTime = Math.floor(Date.now() / 1000)
  provider.faults = { idToken: { auth_time: authTime } }
  const environment = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_AUDIENCE: provider.audience,
    OIDC_PROVIDER_NAME: 'Home',
  }
  await serveIdentityPage(identityPage, environment, async ({ baseUrl }) => {
    await page.goto(baseUrl)
    await page.getByRole('button', { name: 'Sign in with Home' }).click()
    const signedIn = page.getByRole('heading', { name: 'Signed in as Grace Hopper' })
    await expect(signedIn).toBeVisible()
    provider.faults = { ...provider.faults, refuse: 'access_denied' }
    for (const refuse of [true, false]) {
      if (!refuse) provider.faults = { idToken: { auth_time: authTime } }
      await page.evaluate(() => {
        const { identity, ownAccount } = window as unknown as IdentityPage
        void ownAccount.signInAgain(identity, '/settings/data')
      })
      await page.waitForURL('**/settings/data')
      // Who does not sign in again is still signed in.
      await expect(signedIn).toBeVisible()
      const { prompt, max_age, login_hint } = Object.fromEntries(provider.authorizations.at(-1) ?? [])
      expect({ prompt, max_age, login_hint }).toEqual({
        prompt: 'login',
        max_age: '900',
        login_hint: 'grace@example.com',
      })
      await page.evaluate(() => history.replaceState(null, '', '/'))
    }
    await page.evaluate(() => {
      const { identity, ownAccount } = window as unknown as IdentityPage
      void ownAccount.leaveDeleted(identity, () => localStorage.clear())
    })
    await expect(page.getByText('Your account is deleted.')).toBeVisible()
    expect(provider.calls.slice(-2)).toEqual(['POST /revoke', 'GET /logout'])
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
  })
  await provider.close()
})

const minutes = (count: number): number => Math.floor(Date.now() / 1000) + count * 60
const wrong: readonly (readonly [string, Faults, RegExp, RegExp?])[] = [
  ['a shared-secret algorithm', { signing: 'hmac with the public key' }, /signs ID tokens with HS256/],
  [
    'another client',
    { idToken: { aud: 'other' } },
    /for the client other, and OIDC_CLIENT_ID .* is yonder-web/,
  ],
  [
    'another issuer',
    { idToken: { iss: 'https://b.example' } },
    /calls itself https:\/\/b\.example, and OIDC_ISS/,
  ],
  ['a clock behind', { idToken: { exp: minutes(-60), iat: minutes(-120) } }, /differ by about 120 minutes/],
  ['a clock ahead', { idToken: { nbf: minutes(30), iat: minutes(30) } }, /differ by about 30 minutes/],
  [
    'an unknown key',
    { idTokenHeader: { kid: 'gone' } },
    /a key that the provider does not publish \(RS256, kid gone/,
  ],
  [
    'two keys and none named',
    { idTokenHeader: { kid: undefined }, publish: ([key]) => [key, { ...key, kid: 'twin' }] },
    /Several keys of the provider fit the ID token/,
  ],
  ['a missing claim', { idToken: { sub: undefined } }, /The claim "sub" of the ID token is missing/],
  [
    'a refusal',
    { refuse: 'access_denied', description: 'AADSTS50105: Ada is not assigned.\r\nTrace ID: 1' },
    /refused: “AADSTS50105: Ada is not assigned. Trace ID: 1” \(access_denied\)/,
  ],
  [
    'a client with a secret',
    { status: { '/token': 401 }, tokenError: 'invalid_client', description: 'No secret.' },
    /“No secret” \(invalid_client\); register Yonder there as a public client/,
    /401 \(Unauthorized\)/,
  ],
  [
    'a token endpoint for servers only',
    { noCors: ['/token'] },
    /could not read an answer from http:\/\/localhost:\d+\/token: .*\(CORS; register Yonder there as a single-page app/,
    /CORS policy|ERR_FAILED/,
  ],
  ['an opaque access token', { accessToken: 'opaque' }, /is not a JWT, .*OIDC_AUDIENCE/, /401 \(Unauth/],
  [
    'an access token of another version',
    { accessToken: { iss: 'https://sts.windows.net/t/' } },
    /issuer "https:\/\/sts\.windows\.net\/t\/" \(iss\), .*OIDC_ISSUER/,
    /401 \(Unauth/,
  ],
  [
    'another audience',
    { accessToken: { aud: 'other' } },
    /audience "other" \(aud\), .*OIDC_AUDIENCE\)\. Tell the operator/,
    /401 \(Unauth/,
  ],
]

test('a sign-in that fails says why in a sentence, and the log of the server says it too (§8.5)', async ({
  page,
  identityPage,
  problems,
}) => {
  problems.expect(/Login failed/)
  const provider = await openHostileIdentityProvider()
  const environment = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_AUDIENCE: provider.audience,
  }
  await serveIdentityPage(identityPage, environment, async ({ baseUrl }) => {
    for (const [name, faults, sentence, consoleError] of wrong)
      await test.step(name, async () => {
        if (consoleError !== undefined) problems.expect(consoleError)
        provider.faults = faults
        await page.goto(baseUrl)
        const reported = page.waitForRequest('**/api/sign-in-failures')
        await page.getByRole('button', { name: 'Sign in with Google' }).click()
        await expect(page.getByRole('alert')).toHaveText('Login failed')
        await expect(page.getByRole('status')).toHaveText(sentence)
        const report = (await reported).postData() ?? ''
        expect((JSON.parse(report) as { sentence: string }).sentence).toMatch(sentence)
        expect(report).not.toMatch(/eyJ|nonce"/)
        expect(await readStorage(page)).toEqual({})
      })
  })
  await provider.close()
})

for (const error of ['invalid_grant', 'interaction_required'])
  test(`a user whose refresh is refused with ${error} reads why`, async ({
    page,
    hosted,
    provider,
    problems,
  }) => {
    problems.expect(/400 \(Bad Request\)/)
    await page.goto(hosted.baseUrl)
    await page.getByRole('button', { name: 'Sign in with Google' }).click()
    await expect(page.getByRole('heading', { name: /^Signed in as/ })).toBeVisible()
    await changeSession(page, { expiresAt: Date.now() })
    provider.faults = {
      status: { '/token': 400 },
      tokenError: error,
      description: 'AADSTS50173: The password was changed.',
    }
    await page.reload()
    await expect(page.getByRole('status')).toHaveText(
      `You were signed out. The sign-in provider refused: “AADSTS50173: The password was changed” (${error}).`,
    )
    await expect(page.getByRole('button', { name: 'Sign in with Google' })).toBeVisible()
  })

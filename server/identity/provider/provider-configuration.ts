import type * as Library from 'oidc-provider'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { Db, Dialect } from '../../db/database.ts'
import { toStorageError } from '../../db/storage-problem.ts'
import { findAccount } from '../accounts/account-store.ts'
import { showError, showLogout, showSignedOut } from '../pages/provider-pages.ts'
import { describeBrowser } from '../sessions/describe-browser.ts'
import { grantClaim } from '../sessions/embedded-sessions.ts'
import { insertSignIn, touchSignIn } from '../sessions/sign-in-store.ts'
import type { IdentityKeys } from './identity-keys.ts'
import { createOidcAdapter, type OidcAdapterOptions } from './oidc-adapter.ts'
import { hashRecordId } from './oidc-store.ts'
import { lifetimeSeconds } from './token-lifetimes.ts'

/** The `connection` parameter of 'Sign in with Google', and the prefix of the ids of Google accounts. */
export const googleConnection = 'google-oauth2'

const scopes = ['openid', 'profile', 'email', 'offline_access']

export interface ProviderOptions extends OidcAdapterOptions {
  readonly dialect: Dialect
  readonly keys: IdentityKeys
  readonly issuer: string
  readonly clientId: string
  readonly audience: string
  /** The origin of the app and of the provider. */
  readonly publicUrl: string
  /** Ends the least recently used sign-ins of an account that has too many. Called after one was stored. */
  readonly endExcessSignIns: (accountId: string) => Promise<void>
}

/** The configuration of the library for the embedded provider, without its signing keys, which change while it runs. */
export function configureProvider(options: ProviderOptions, library: typeof Library): Configuration {
  const { db, keys, issuer, audience, publicUrl, now } = options
  const { errors } = library
  return {
    adapter: createOidcAdapter(options, errors),
    clients: [createClientMetadata(options)],
    clientBasedCORS: (_ctx, origin) => origin === publicUrl,
    cookies: configureCookies(issuer, keys.cookie),
    responseTypes: ['code'],
    scopes,
    claims: { openid: ['sub'], profile: ['name', 'picture'], email: ['email'] },
    // The ID token includes name, e-mail and picture, so that the browser needs no further request.
    conformIdTokenClaims: false,
    extraParams: ['audience', 'connection'],
    extraTokenClaims: async (_ctx, token) => {
      const grantId = 'grantId' in token ? token.grantId : undefined
      if (grantId !== undefined) await touchSignIn(db, grantId, now())
      return {
        ...('accountId' in token ? await readClaims(db, token.accountId) : {}),
        ...(grantId === undefined ? {} : { [grantClaim]: grantId }),
      }
    },
    findAccount: async (_ctx, id) => {
      const account = await findAccount(db, id)
      if (account === undefined || account.disabled_at !== null) return undefined
      return { accountId: id, claims: async () => ({ sub: id, ...(await readClaims(db, id)) }) }
    },
    pkce: { required: () => true },
    issueRefreshToken: (_ctx, client, source) =>
      Promise.resolve(client.grantTypeAllowed('refresh_token') && source.scopes.has('openid')),
    rotateRefreshToken: true,
    expiresWithSession: () => Promise.resolve(false),
    loadExistingGrant: (ctx) => ensureGrant(ctx, options),
    interactions: {
      url: (_ctx, interaction) => `${new URL(issuer).pathname}/interaction/${interaction.uid}`,
      policy: createInteractionPolicy(library),
    },
    renderError: (ctx, out, error) => showError(ctx, out, toStorageError(error)),
    features: configureFeatures(audience, errors),
    ttl: {
      AccessToken: lifetimeSeconds.accessToken,
      AuthorizationCode: lifetimeSeconds.authorizationCode,
      Grant: lifetimeSeconds.grant,
      IdToken: lifetimeSeconds.idToken,
      Interaction: lifetimeSeconds.interaction,
      RefreshToken: lifetimeSeconds.refreshToken,
      Session: (_ctx, session) =>
        session.accountId === undefined ? lifetimeSeconds.anonymousSession : lifetimeSeconds.session,
    },
  }
}

type Features = NonNullable<Configuration['features']>

function configureFeatures(audience: string, { InvalidTarget }: typeof Library.errors): Features {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    revocation: { enabled: true, allowedPolicy: () => true },
    userinfo: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: showLogout,
      postLogoutSuccessSource: showSignedOut,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (ctx) => readAudience(ctx) ?? audience,
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, resource) => {
        if (resource !== audience) throw new InvalidTarget(`the only audience is ${audience}`)
        return {
          audience,
          scope: scopes.join(' '),
          accessTokenFormat: 'jwt',
          accessTokenTTL: lifetimeSeconds.accessToken,
          jwt: { sign: { alg: 'RS256' } },
        }
      },
    },
  }
}

/** The names contain a hash of the issuer, because installations on different ports of a host share their cookies. */
function configureCookies(issuer: string, key: string): NonNullable<Configuration['cookies']> {
  const suffix = hashRecordId(issuer).slice(0, 8)
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const
  return {
    keys: [key],
    names: {
      session: `yonder_session_${suffix}`,
      interaction: `yonder_interaction_${suffix}`,
      resume: `yonder_resume_${suffix}`,
    },
    long: { ...cookie, path: new URL(issuer).pathname },
    // The library gives each sign-in its own cookie path, so that sign-ins in two tabs do not interfere.
    short: cookie,
  }
}

/** The only client is the web app. It is public and has no secret. */
function createClientMetadata({ clientId, publicUrl }: ProviderOptions): Library.ClientMetadata {
  return {
    client_id: clientId,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // Deleting the account needs a recent sign-in, so every ID token says when it was.
    require_auth_time: true,
    redirect_uris: [`${publicUrl}/`],
    post_logout_redirect_uris: [publicUrl],
  }
}

/** Starts a sign-in for 'Sign in with Google' even when the browser is signed in with a local account. */
function createInteractionPolicy({ interactionPolicy }: typeof Library) {
  const policy = interactionPolicy.base()
  const { Check } = interactionPolicy
  policy.get('login')?.checks.add(
    new Check('other_connection', 'a Google account is required', (ctx) => {
      const { session, params, result } = ctx.oidc
      const isForGoogle = params?.['connection'] === googleConnection
      const isGoogleAccount = session?.accountId?.startsWith(`${googleConnection}|`) === true
      return isForGoogle && !isGoogleAccount && result?.login === undefined
        ? Check.REQUEST_PROMPT
        : Check.NO_NEED_TO_PROMPT
    }),
  )
  return policy
}

/**
 * Returns the grant of the browser's session, and creates it during a sign-in. No consent page is shown, because the
 * only client is our own app. Each grant is in the user's list of sign-ins.
 */
async function ensureGrant(ctx: KoaContextWithOIDC, options: ProviderOptions) {
  const { audience, db, now, endExcessSignIns } = options
  const { client, session, provider, result } = ctx.oidc
  const accountId = session?.accountId
  if (client === undefined || session === undefined || accountId === undefined) return undefined
  const known = result?.consent?.grantId ?? session.grantIdFor(client.clientId)
  const existing = known === undefined ? undefined : await provider.Grant.find(known)
  if (existing !== undefined && existing.accountId === accountId) return existing
  const grant = new provider.Grant({ accountId, clientId: client.clientId })
  grant.addOIDCScope(scopes.join(' '))
  grant.addResourceScope(audience, scopes.join(' '))
  const grantId = await grant.save()
  await insertSignIn(db, {
    grant_id: grantId,
    account_id: accountId,
    browser: describeBrowser(ctx.get('user-agent')),
    created_at: now(),
    used_at: now(),
  })
  await endExcessSignIns(accountId)
  return grant
}

function readAudience(ctx: KoaContextWithOIDC): string | undefined {
  const audience = ctx.oidc.params?.['audience']
  return typeof audience === 'string' ? audience : undefined
}

async function readClaims(db: Db, accountId: string): Promise<Record<string, string>> {
  const { name, email, picture } = (await findAccount(db, accountId)) ?? {}
  const fields = Object.entries({ name, email, picture })
  return Object.fromEntries(fields.filter((field): field is [string, string] => typeof field[1] === 'string'))
}

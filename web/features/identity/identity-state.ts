/** The signed-in user, from the provider's ID token. */
export interface IdentityUser {
  readonly sub: string
  readonly name: string | null
  readonly email: string | null
  readonly picture: string | null
}

/** The sign-in state of this tab. */
export type IdentityState =
  | { readonly status: 'loading' }
  | { readonly status: 'unauthenticated' }
  | {
      readonly status: 'authenticated'
      readonly user: IdentityUser
      /** The message for a failed request for a token, until a request succeeds; null if there is none. */
      readonly failure: string | null
    }
  | { readonly status: 'error'; readonly message: string }

/** The message of a failed sign-in. */
export const loginFailed = 'Login failed'
/** The message when there is no access token. */
export const tokenFailed = 'Get access token failed'
/** Browsers provide the cryptography for signing in only on pages from https or localhost. */
export const insecureOrigin =
  'Signing in needs a secure address. This page was opened over plain http; open it over https, or on localhost.'

/** The signed-in person, as the provider's ID token tells it. */
export interface IdentityUser {
  readonly sub: string
  readonly name: string | null
  readonly email: string | null
  readonly picture: string | null
}

/** Where the sign-in of this tab stands (§4.1). */
export type IdentityState =
  | { readonly status: 'loading' }
  | { readonly status: 'unauthenticated' }
  | {
      readonly status: 'authenticated'
      readonly user: IdentityUser
      /** Set while no token can be had though the person is signed in: the network or the provider is away. */
      readonly failure: string | null
    }
  | { readonly status: 'error'; readonly message: string }

export const loginFailed = 'Login failed'
export const tokenFailed = 'Get access token failed'
/** Why a page on plain http cannot sign in: its browser offers no cryptography. */
export const insecureOrigin =
  'Signing in needs a secure address. This page was opened over plain http; open it over https, or on localhost.'

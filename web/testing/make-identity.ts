import type { IdentityClient } from '../features/identity/identity-client.ts'

/** A fake identity client in the state `unauthenticated`; a test replaces what it needs. */
export function makeIdentity(more: Partial<IdentityClient> = {}): IdentityClient {
  return {
    accountUrl: null,
    getState: () => signedOut,
    subscribe: () => () => undefined,
    start: () => Promise.resolve(),
    signIn: () => Promise.resolve(),
    getAccessToken: () => Promise.resolve('token'),
    signOut: () => Promise.resolve(),
    forget: () => false,
    ...more,
  }
}

const signedOut = { status: 'unauthenticated' } as const

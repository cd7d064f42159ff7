import { createIdentityClient, type IdentityClient } from '../features/identity/identity-client.ts'
import type { IdentityState } from '../features/identity/identity-state.ts'

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
    parts: createIdentityClient(settings).parts,
    forget: () => false,
    ...more,
  }
}

const settings = {
  issuer: 'https://id.example',
  clientId: 'yonder',
  audience: '',
  googleParams: {},
  embedded: true,
}
const signedOut = { status: 'unauthenticated' } as const

/** A fake identity client of a signed-in user. */
export function makeSignedIn(): IdentityClient {
  return makeIdentity({ getState: () => signedIn })
}

const signedIn: IdentityState = {
  status: 'authenticated',
  user: { sub: 'local|1', name: 'Ada', email: 'ada@example.com', picture: null },
  failure: null,
}

import { deletedNoticeKey } from './deleted-notice.ts'
import { endSession, type IdentityClient } from './identity-client.ts'
import { beginSignIn } from './sign-in.ts'

type Parts = Pick<IdentityClient, 'parts'>

/** The beginning of the ids of accounts that sign in with Google, here and at Auth0. */
const googlePrefix = 'google-oauth2|'

/** The ID token of the signed-in user, which says when the user has signed in. */
export function readIdToken({ parts: { store } }: Parts): string | null {
  return store.read()?.idToken ?? null
}

/**
 * Sends the signed-in user to the provider to prove again who they are, and then back to `returnTo`. Rejects when the
 * provider cannot be reached.
 */
export async function signInAgain(
  { parts: { settings, store, openClient } }: Parts,
  returnTo: string,
): Promise<void> {
  const again = store.read()?.user
  if (again === undefined) return
  const request = { withGoogle: again.sub.startsWith(googlePrefix), returnTo, again }
  location.assign(await beginSignIn(await openClient(), store, settings, request))
}

/** The time in which the tabs close the pages of the user, which may write something. */
const closingMs = 300

/**
 * Signs out in every tab after the account was deleted, clears the browser with `clear`, and opens the sign-in screen,
 * which says that the account is deleted.
 */
export async function leaveDeleted(
  { parts: { settings, store, openClient, state } }: Parts,
  clear: () => void,
): Promise<void> {
  const session = store.read()
  sessionStorage.setItem(deletedNoticeKey, 'yes')
  store.clear()
  state.set({ status: 'loading' })
  clear()
  await new Promise((resolve) => setTimeout(resolve, closingMs))
  clear()
  // The built-in provider has deleted its session with the account.
  location.assign(settings.embedded ? location.origin : await endSession(openClient, session))
}

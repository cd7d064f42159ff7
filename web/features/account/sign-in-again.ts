import { maxSignInAgeSeconds } from '@yonder/contract/lib/account-deletion'

/** The time that the user has to type the words. */
const spareSeconds = 60

/**
 * Whether the sign-in is recent enough to delete the account, as far as the page can tell from the ID token. The server
 * decides.
 */
export function isSignInRecent(idToken: string | null): boolean {
  const seconds = readAuthTime(idToken)
  return seconds !== undefined && Date.now() / 1000 - seconds < maxSignInAgeSeconds - spareSeconds
}

function readAuthTime(idToken: string | null): number | undefined {
  try {
    const [, payload = ''] = (idToken ?? '').split('.')
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as {
      readonly auth_time?: unknown
    }
    return typeof claims.auth_time === 'number' ? claims.auth_time : undefined
  } catch {
    return undefined
  }
}

const key = 'account_deletion'

/** The id of the user who has left this tab's dialog to sign in again. */
export const deletionInProgress = {
  write: (userId: string) => sessionStorage.setItem(key, userId),
  read: (): string | null => {
    try {
      return sessionStorage.getItem(key)
    } catch {
      return null
    }
  },
  remove(): void {
    try {
      sessionStorage.removeItem(key)
    } catch {
      // It was not there.
    }
  },
}

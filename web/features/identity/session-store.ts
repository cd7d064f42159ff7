import { browserStorage } from '../../lib/browser-storage.ts'

/** The signed-in user, from the provider's ID token. */
export interface IdentityUser {
  readonly sub: string
  readonly name: string | null
  readonly email: string | null
  readonly picture: string | null
}

/** What a signed-in browser stores. */
export interface Session {
  readonly accessToken: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  readonly refreshToken: string | null
  readonly idToken: string
  readonly user: IdentityUser
}

/** The prefix of the entries' names. */
const keyPrefix = 'yonder.sign-in:'

/** Whether a user is probably signed in. Does not need the provider's settings, which are loaded later. */
export function hasStoredSession(): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(keyPrefix))
  } catch {
    return false
  }
}

/** Creates a store in local storage, with one entry per issuer and client, shared by all tabs. */
export function createSessionStore(issuer: string, clientId: string) {
  const key = `${keyPrefix}${issuer}:${clientId}`
  /** Calls `onChange` when another tab has changed the entry. Returns a function that stops it. */
  const watch = (onChange: () => void): (() => void) => {
    const listen = (event: StorageEvent): void => {
      // A null key means that all entries were cleared.
      if (event.key === key || event.key === null) onChange()
    }
    addEventListener('storage', listen)
    return () => removeEventListener('storage', listen)
  }
  return {
    /** The name of the entry, which is also the name of the lock around its refresh. */
    key,
    read: () => (browserStorage.readJson(key) as Session | undefined) ?? null,
    write: (session: Session) => browserStorage.write(key, JSON.stringify(session)),
    clear: () => browserStorage.remove(key),
    watch,
    /** Resolves when another tab has changed the entry, or after `maxMs`. */
    nextChange: (maxMs: number) =>
      new Promise<void>((resolve) => {
        const finish = (): void => {
          clearTimeout(timer)
          stop()
          resolve()
        }
        const timer = setTimeout(finish, maxMs)
        const stop = watch(finish)
      }),
  }
}

export type SessionStore = ReturnType<typeof createSessionStore>

import type { Database, Db } from '../../db/database.ts'
import type { Identity } from '../../identity/identity.ts'
import type { EndedSession } from '../../identity/sessions/embedded-sessions.ts'
import type { User } from '../../identity/user.ts'
import { readOwnIssuer } from '../../identity/users/user-store.ts'
import { AppError } from '../../lib/app-error.ts'
import { newId } from '../../lib/new-id.ts'

export interface TestIdentity extends Identity {
  /** Stores a user, as their first sign-in would, and returns a token for them. */
  signIn(name: string): Promise<{ readonly user: User; readonly token: string }>
  /** Adds another session of a user, and returns its token. */
  signInAgain(user: User): string
  /** Ends a session as this node or another one would. */
  signOut(token: string, at: 'here' | 'elsewhere'): void
}

/** Replaces sign-in in tests of other subjects. A token is a random text, and also the id of its session. */
export function createTestIdentity(
  { db }: Database,
  onNewUser: (trx: Db, user: User) => Promise<void>,
): TestIdentity {
  const known = new Map<string, User>()
  const ended: string[] = []
  const origins: readonly string[] = []
  const listeners: ((ended: EndedSession) => void)[] = []
  return {
    clientSettings: {
      issuer: 'http://localhost/oidc',
      clientId: 'yonder',
      audience: 'yonder-api',
      googleParams: {},
      embedded: true,
    },
    browserOrigins: () => origins,
    setUpUrl: null,
    needsSetUp: () => Promise.resolve(false),
    sessions: {
      idOf: (token) => token,
      listEnded: () => Promise.resolve(ended),
      onEnd: (listener) => void listeners.push(listener),
      notifyEnded: () => Promise.resolve(),
    },
    readIdToken: null,
    // An "ID token" of a test is the time itself.
    readSignInTime: (_token, idToken) => Promise.resolve(Number(idToken)),
    verify(token) {
      const user = known.get(token)
      if (user === undefined) return Promise.reject(new AppError('unauthenticated', 'Sign in again.'))
      return Promise.resolve(user)
    },
    register: () => Promise.resolve(),
    close: () => Promise.resolve(),
    async signIn(name) {
      const user: User = {
        id: newId(),
        issuer: await readOwnIssuer(db),
        subject: newId(),
        name,
        email: `${name.toLowerCase()}@example.com`,
        picture: null,
      }
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('users')
          .values({ ...user, created_at: Date.now() })
          .execute()
        await onNewUser(trx, user)
      })
      return { user, token: this.signInAgain(user) }
    },
    signInAgain(user) {
      const token = newId()
      known.set(token, user)
      return token
    },
    signOut(token, at) {
      const userId = known.get(token)?.id ?? null
      known.delete(token)
      if (at === 'elsewhere') ended.push(token)
      else for (const notify of listeners) notify({ sessionId: token, userId, isLast: true })
    },
  }
}

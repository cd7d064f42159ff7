import { AppError } from '../http/app-error.ts'
import { newId } from '../db/new-id.ts'
import type { Database, Db } from '../db/database.ts'
import type { Identity } from '../identity/identity.ts'
import type { User } from '../identity/user.ts'

export interface TestIdentity extends Identity {
  /** Makes a person, as their first sign-in would, and a token that stands for them. */
  signIn(name: string): Promise<{ readonly user: User; readonly token: string }>
}

/** Stands in for sign-in where a test is about something else: a token is just a name for a stored user. */
export function createTestIdentity(
  { db }: Database,
  onNewUser: (trx: Db, user: User) => Promise<void>,
): TestIdentity {
  const known = new Map<string, User>()
  return {
    clientSettings: {
      issuer: 'http://localhost/oidc',
      clientId: 'yonder',
      audience: 'yonder-api',
      googleParams: {},
      embedded: true,
    },
    browserOrigins: [],
    setUpUrl: null,
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
        issuer: 'http://localhost/oidc',
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
      const token = newId()
      known.set(token, user)
      return { user, token }
    },
  }
}

import { createHmac } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { isSameSecret } from '../../lib/secret.ts'
import type { GoogleFederation } from '../google/google-federation.ts'
import { maxBodyBytes } from '../provider/limit-requests.ts'
import type { LazyProvider } from '../provider/provider.ts'
import type { EmbeddedSessions } from '../sessions/embedded-sessions.ts'
import type { SignUpPolicy } from './create-account.ts'
import type { PasswordHasher } from './hash-password.ts'
import type { SignInLimiter } from './sign-in-limiter.ts'

/** What the pages of the embedded provider need. */
export interface PageDeps {
  readonly database: Pick<Database, 'db' | 'dialect'>
  readonly sealer: Sealer
  readonly provider: LazyProvider
  readonly clientId: string
  readonly sessions: Pick<EmbeddedSessions, 'endSignIn' | 'endAll' | 'notifyEnded'>
  readonly formKey: string
  readonly signUp: SignUpPolicy
  /** Null when Google is not set up. */
  readonly google: GoogleFederation | null
  readonly now: () => number
  readonly passwords: PasswordHasher
  readonly signInLimiter: SignInLimiter
  /** Whether a closed installation still has no account. */
  readonly needsSetUp: () => Promise<boolean>
}

/** A request for a page or with its form. */
export type PageRequest<Params = unknown> = FastifyRequest<{
  Params: Params
  Querystring: { readonly token?: unknown; readonly choose?: unknown; readonly done?: unknown }
  Body: Readonly<Record<string, string>> | null | undefined
}>

/** The path of the issuer, below which all pages are. */
export function basePath({ issuer }: Pick<LazyProvider, 'issuer'>): string {
  return new URL(issuer).pathname
}

/** Lets the routes of `scope` accept HTML forms only. Each field is one string. */
export function registerFormBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxBodyBytes },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(String(body))))
    },
  )
}

/**
 * The value of a form's hidden field, which protects against forged requests. `subject` is what the form belongs to: an
 * interaction, a sign-in or a link.
 */
export function makeFormToken(key: string, subject: string): string {
  return createHmac('sha256', key).update(subject).digest('base64url')
}

/** Whether the form of a request has the hidden field of this subject. */
export function hasFormToken(key: string, subject: string, { body }: PageRequest): boolean {
  return isSameSecret(body?.['form'], makeFormToken(key, subject))
}

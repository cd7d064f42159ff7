import type { FastifyInstance, FastifyRequest } from 'fastify'
import { toStorageError } from '../../db/storage-problem.ts'
import { isNetworkFailure } from '../../http/outgoing/network-failure.ts'
import { listCauses } from '../../lib/app-error.ts'
import { findAccount, upsertFederatedAccount } from '../accounts/account-store.ts'
import { emailNotAllowed } from '../accounts/create-account.ts'
import { basePath, type PageDeps } from '../accounts/forms.ts'
import {
  finishInteraction,
  interactionPath,
  requireInteraction,
  type InteractionRequest,
} from '../accounts/interaction.ts'
import { endSetUp } from '../accounts/set-up-token.ts'
import { noticePage, PageError } from '../pages/render-page.ts'
import { findUserRow, readOwnIssuer } from '../users/user-store.ts'
import type { GoogleFederation, GoogleUser } from './google-federation.ts'

const advice = 'Try again in a moment, or sign in another way.'
const beingDeleted = 'This account is being deleted. Try again in a minute.'
const notFinished = 'The sign-in with Google was not completed. Try again, or sign in another way.'

/** Registers the sign-in with Google, which is one step of a sign-in at the embedded provider. */
export function registerGoogleRoutes(scope: FastifyInstance, deps: PageDeps, google: GoogleFederation): void {
  const { database, provider, now } = deps
  const base = interactionPath(provider)
  const failure = (uid: string, text: string, status: number) => {
    const link = { text: 'Sign in another way', href: `${base}/${uid}?choose=1` }
    return new PageError(noticePage('You are not signed in', text, link), status)
  }

  scope.get(`${base}/:uid/google`, async (request: InteractionRequest, reply) => {
    const interaction = await requireInteraction(deps, request, reply)
    try {
      return await reply.redirect(await google.startSignIn(interaction.uid), 303)
    } catch (error) {
      throwStorageError(error)
      request.log.warn({ err: error }, 'The sign-in with Google could not start')
      const isUnreached = listCauses(error).some(isNetworkFailure)
      const problem = isUnreached ? 'Google cannot be reached.' : 'Google did not respond as expected.'
      throw failure(interaction.uid, `${problem} ${advice}`, 502)
    }
  })

  // The redirect address at Google is the same for all interactions. The cookie of an interaction has the path of its
  // own pages, so the browser is redirected there.
  scope.get(
    `${basePath(provider)}/federated/callback`,
    async (request: FastifyRequest<{ Querystring: { state?: unknown } }>, reply) => {
      const uid = google.readInteractionUid(request.query.state)
      if (uid === null)
        throw new PageError(noticePage('The sign-in failed', 'Go back to Yonder and sign in again.'), 400)
      return reply.redirect(`${base}/${uid}/federated${readSearch(request)}`, 303)
    },
  )

  scope.get(`${base}/:uid/federated`, async (request: InteractionRequest, reply) => {
    const interaction = await requireInteraction(deps, request, reply)
    let user: GoogleUser
    try {
      user = await google.finishSignIn(interaction.uid, readSearch(request))
    } catch (error) {
      throwStorageError(error)
      request.log.warn({ err: error }, 'a sign-in with Google failed')
      throw failure(interaction.uid, notFinished, 400)
    }
    const refusal = await findRefusal(deps, user)
    if (refusal !== null) throw failure(interaction.uid, refusal, 403)
    const { name = null, email = null, picture = null } = user.profile
    const account = { id: user.accountId, name, email, picture, created_at: now() }
    await database.db.transaction().execute(async (trx) => {
      await upsertFederatedAccount(trx, account)
      await endSetUp(trx)
    })
    return finishInteraction(deps, request, reply, { id: user.accountId, password_hash: null })
  })
}

/** Returns the error message when this Google account may not sign in, else null. */
async function findRefusal(
  { database, signUp }: PageDeps,
  { accountId, profile, isEmailVerified }: GoogleUser,
): Promise<string | null> {
  const { email } = profile
  const account = await findAccount(database.db, accountId)
  const user = await findUserRow(database.db, await readOwnIssuer(database.db), accountId)
  // Deleting the data of a user takes a moment after the account is deleted.
  if (account === undefined && user !== undefined && user.disabled_at !== null) return beingDeleted
  if (email === undefined || email === null || !isEmailVerified) {
    return 'Google has not verified the e-mail address of this account. Verify it at Google, or use another account.'
  }
  // The list of the operator limits new accounts only.
  return account !== undefined || signUp.maySignUp(email) ? null : emailNotAllowed
}

/** Throws an error of the database, which has its own page. Returns when the error has another cause. */
function throwStorageError(error: unknown): void {
  const storageError = toStorageError(error)
  if (storageError !== null) throw storageError
}

/** The query of the address, with its question mark. */
function readSearch({ url }: FastifyRequest): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start)
}

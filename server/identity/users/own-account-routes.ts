import { AccountContents, AccountDeletion } from '@yonder/contract/account'
import { isConfirmed, maxSignInAgeSeconds } from '@yonder/contract/lib/account-deletion'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { type Api, route } from '../../http/api.ts'
import { AppError } from '../../lib/app-error.ts'
import { requireSelfService } from '../../lib/require-self-service.ts'
import { readBearerToken, requireUser } from '../authenticate.ts'
import type { Identity } from '../identity.ts'
import { clockLeewaySeconds } from '../sessions/token-verifier.ts'
import type { User } from '../user.ts'
import { deleteOwnAccount, type OwnAccountDeps } from './delete-own-account.ts'
import { countContents } from './own-account-store.ts'

export interface OwnAccountRoutesDeps extends OwnAccountDeps {
  readonly config: Pick<Config, 'selfService'>
  readonly identity: OwnAccountDeps['identity'] & Pick<Identity, 'readSignInTime'>
}

/** Registers the routes with which a user deletes the own account. */
export function registerOwnAccountRoutes(api: Api, deps: OwnAccountRoutesDeps): void {
  const { config, database, identity } = deps
  api.get(
    '/api/account',
    route('user', 'Read what is deleted with the account', ['forbidden'], {
      response: { 200: AccountContents },
    }),
    async (request) => {
      requireSelfService(config.selfService, 'account')
      const user = requireUser(request)
      return { confirmation: confirmationOf(user), ...(await countContents(database.db, user)) }
    },
  )
  api.post(
    '/api/account/delete',
    route('user', 'Delete the account with all data', ['forbidden', 'sign_in_too_old'], {
      body: AccountDeletion,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      requireSelfService(config.selfService, 'account')
      const user = requireUser(request)
      requireConfirmation(user, request.body.confirmation)
      requireRecentSignIn(
        await readSignInTime(identity, readBearerToken(request), request.body.id_token),
        deps.now(),
      )
      await deleteOwnAccount(deps, user)
      return reply.code(204).send(null)
    },
  )
}

function confirmationOf({ email, name, subject }: User): string {
  return email ?? name ?? subject
}

function requireConfirmation(user: User, typed: string): void {
  const confirmation = confirmationOf(user)
  if (isConfirmed(typed, confirmation)) return
  throw new AppError('invalid_request', `Nothing was deleted. Type ${confirmation} to delete the account.`)
}

/** With an ID token that has expired or is not valid, nobody knows when the user has signed in. */
async function readSignInTime(
  identity: Pick<Identity, 'readSignInTime'>,
  token: string,
  idToken: string,
): Promise<number> {
  try {
    const time = await identity.readSignInTime(token, idToken)
    if (time !== null) return time
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_request') throw error
    throw tooOld(error)
  }
  throw new AppError(
    'sign_in_too_old',
    'The sign-in provider does not say when you have signed in (claim auth_time). Ask the operator of this site to delete the account.',
  )
}

function requireRecentSignIn(time: number, now: number): void {
  const ageMs = now - time
  if (ageMs <= maxSignInAgeSeconds * 1000 && ageMs >= -clockLeewaySeconds * 1000) return
  throw tooOld()
}

function tooOld(cause?: AppError): AppError {
  const minutes = maxSignInAgeSeconds / 60
  return new AppError('sign_in_too_old', `Your sign-in is older than ${minutes} minutes. Sign in again.`, {
    cause,
  })
}

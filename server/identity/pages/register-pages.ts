import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { statusOf } from '../../http/error-handler.ts'
import { AppError } from '../../lib/app-error.ts'
import { registerAccountRoutes } from '../accounts/account-routes.ts'
import type { AccountDeps } from '../accounts/account-routes.ts'
import { registerFormBody } from '../accounts/forms.ts'
import type { SignInDeps } from '../accounts/interaction.ts'
import { registerNewAccountRoutes } from '../accounts/new-account-routes.ts'
import { registerResetRoutes } from '../accounts/reset-routes.ts'
import type { ResetDeps } from '../accounts/reset-routes.ts'
import { registerSetUpRoutes } from '../accounts/set-up-routes.ts'
import type { SetUpDeps } from '../accounts/set-up-routes.ts'
import { registerSignInRoutes } from '../accounts/sign-in-routes.ts'
import { registerGoogleRoutes } from '../google/google-routes.ts'
import type { RequestLimit } from '../provider/limit-requests.ts'
import { noticePage, sendPage } from './render-page.ts'

/** Shows an error as a page. */
export function showFailure(
  error: (Error & { statusCode?: number }) | AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const status = error instanceof AppError ? statusOf[error.code] : (error.statusCode ?? 500)
  if (status === 429) {
    return sendPage(reply, noticePage('Too many attempts', 'Wait a minute, then try again.'), 429)
  }
  if (status === 503) return sendPage(reply, noticePage('The server is busy', error.message), 503)
  if (status >= 500) request.log.error({ err: error }, 'a sign-in page failed')
  return sendPage(reply, noticePage('The sign-in failed', 'Go back to Yonder and sign in again.'), status)
}

type PageDeps = SignInDeps & SetUpDeps & AccountDeps & ResetDeps

/** Registers the pages of the embedded provider. Their errors are pages too, not JSON. */
export function registerPages(scope: FastifyInstance, deps: PageDeps, limitRequest: RequestLimit): void {
  registerFormBody(scope)
  scope.addHook('onRequest', limitRequest)
  scope.setErrorHandler(showFailure)
  registerSignInRoutes(scope, deps)
  registerNewAccountRoutes(scope, deps)
  registerSetUpRoutes(scope, deps)
  registerAccountRoutes(scope, deps)
  registerResetRoutes(scope, deps)
  if (deps.google !== null) registerGoogleRoutes(scope, deps, deps.google)
}

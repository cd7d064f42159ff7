import type { FastifyInstance } from 'fastify'
import { registerFormBody } from '../accounts/forms.ts'
import type { SignInDeps } from '../accounts/interaction.ts'
import { registerNewAccountRoutes } from '../accounts/new-account-routes.ts'
import { registerSetUpRoutes } from '../accounts/set-up-routes.ts'
import type { SetUpDeps } from '../accounts/set-up-routes.ts'
import { registerSignInRoutes } from '../accounts/sign-in-routes.ts'
import { registerGoogleRoutes } from '../google/google-routes.ts'
import { noticePage, sendPage } from './render-page.ts'

/** Registers the pages of the embedded provider. Their errors are pages too, not JSON. */
export function registerPages(scope: FastifyInstance, deps: SignInDeps & SetUpDeps): void {
  registerFormBody(scope)
  scope.setErrorHandler((error: Error & { statusCode?: number; code?: unknown }, request, reply) => {
    if (error.code === 'rate_limited' || error.statusCode === 429) {
      return sendPage(reply, noticePage('Too many attempts', 'Wait a minute, then try again.'), 429)
    }
    if (error.code === 'unavailable') {
      return sendPage(reply, noticePage('The server is busy', error.message), 503)
    }
    const status = error.statusCode ?? 500
    if (status >= 500) request.log.error({ err: error }, 'a sign-in page failed')
    return sendPage(reply, noticePage('The sign-in failed', 'Go back to Yonder and sign in again.'), status)
  })
  registerSignInRoutes(scope, deps)
  registerNewAccountRoutes(scope, deps)
  registerSetUpRoutes(scope, deps)
  if (deps.google !== null) registerGoogleRoutes(scope, deps, deps.google)
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toStorageError } from '../../db/storage-problem.ts'
import { retryAfterSeconds, statusOf, toAppError } from '../../http/error-handler.ts'
import { registerAccountRoutes } from '../accounts/account-routes.ts'
import { registerFormBody, type PageDeps } from '../accounts/forms.ts'
import { registerAccountLinks, registerResetRoutes } from '../accounts/link-routes.ts'
import { registerNewAccountRoutes, registerSignInRoutes } from '../accounts/sign-in-routes.ts'
import { registerGoogleRoutes } from '../google/google-routes.ts'
import type { RequestLimit } from '../provider/limit-requests.ts'
import { failurePage, noticePage, PageError, sendPage } from './render-page.ts'

/** Returns a handler that shows errors as pages. Database failures have the status and text of the API. */
export function createPageErrorHandler() {
  return function showFailure(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (error instanceof PageError) return sendPage(reply, error.page, error.statusCode)
    const known = toAppError(error, request, toStorageError)
    const status = statusOf[known.code]
    if (status === 429) {
      return sendPage(reply, noticePage('Too many attempts', 'Wait a minute, then try again.'), status)
    }
    if (status >= 500) request.log.error({ err: error }, 'a sign-in page failed')
    if (status === 503) reply.header('retry-after', retryAfterSeconds)
    const page =
      status === 503 || known.code === 'storage_full'
        ? failurePage(known)
        : noticePage(
            'Something went wrong',
            'Go back to Yonder and try again. If it fails again, ask the operator of this server.',
          )
    return sendPage(reply, page, status)
  }
}

/** Registers the pages of the embedded provider. Their errors are pages too, not JSON. */
export function registerPages(scope: FastifyInstance, deps: PageDeps, limitRequest: RequestLimit): void {
  registerFormBody(scope)
  scope.addHook('onRequest', limitRequest)
  scope.setErrorHandler(createPageErrorHandler())
  registerSignInRoutes(scope, deps)
  registerNewAccountRoutes(scope, deps)
  registerAccountLinks(scope, deps)
  registerAccountRoutes(scope, deps)
  registerResetRoutes(scope, deps)
  if (deps.google !== null) registerGoogleRoutes(scope, deps, deps.google)
}

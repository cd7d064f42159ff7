import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../../db/database.ts'
import { newAccountPage } from '../pages/account-pages.ts'
import { noticePage, sendPage } from '../pages/render-page.ts'
import { createAccount } from './create-account.ts'
import { isFormToken, makeFormToken } from './forms.ts'
import { findLinkSubject, invitations, consumeLink } from './operator-links.ts'
import type { SetUpDeps } from './set-up-routes.ts'

type InvitationRequest = FastifyRequest<{
  Querystring: { token?: unknown }
  Body: Readonly<Record<string, string>> | null | undefined
}>

/** Registers the page of the link that `yonder users invite` prints. It creates an account with the invited e-mail (§30.8). */
export function registerInvitationRoutes(scope: FastifyInstance, deps: SetUpDeps): void {
  const { database, sealer, provider, formKey, now, passwords, budget } = deps
  const path = `${new URL(provider.issuer).pathname}${invitations.path}`
  const findEmail = (token: unknown) => findLinkSubject(database.db, sealer, invitations, token, now())

  scope.get(path, async (request: InvitationRequest, reply) => {
    const { token } = request.query
    const email = await findEmail(token)
    if (email === undefined) return showInvalidLink(reply)
    return show(reply, { token: String(token), email, name: '', error: null })
  })

  scope.post(path, async (request: InvitationRequest, reply) => {
    const token = String(request.query.token)
    const { form, name = '', password = '' } = request.body ?? {}
    const email = await findEmail(token)
    if (email === undefined || !isFormToken(formKey, formSubject(token), form)) return showInvalidLink(reply)
    const findRefusal = async (trx: Db) =>
      (await consumeLink(trx, invitations, token, now())) ? null : invalidLink
    const create = () => createAccount({ database, now, passwords, findRefusal }, { name, email, password })
    const { account, error } = await budget.attempt(reply, null, create)
    if (account === undefined) return show(reply, { token, email, name, error }, 422)
    return sendPage(
      reply,
      noticePage('Your account is ready', 'Sign in to start using Yonder.', {
        text: 'Go to Yonder',
        href: '/',
      }),
    )
  })

  function show(
    reply: FastifyReply,
    {
      token,
      ...values
    }: {
      readonly token: string
      readonly email: string
      readonly name: string
      readonly error: string | null
    },
    status = 200,
  ): FastifyReply {
    const page = newAccountPage({
      ...values,
      text: 'You are invited to this Yonder server.',
      isEmailFixed: true,
      action: `${path}?token=${encodeURIComponent(token)}`,
      token: makeFormToken(formKey, formSubject(token)),
      signInUrl: null,
    })
    return sendPage(reply, page, status)
  }
}

const formSubject = (token: string) => `invitation ${token}`

const invalidLink =
  'The invitation was already used, has expired, or is not complete. If you have an account, sign in. Otherwise ask the administrator for a new invitation.'

function showInvalidLink(reply: FastifyReply): FastifyReply {
  return sendPage(reply, noticePage('This link is not valid', invalidLink), 403)
}

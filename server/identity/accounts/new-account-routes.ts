import type { FastifyInstance, FastifyReply } from 'fastify'
import { makeFormToken } from './forms.ts'
import { createAccount, emailNotAllowed } from './create-account.ts'
import { newAccountPage } from '../pages/account-pages.ts'
import { noticePage, sendPage } from '../pages/render-page.ts'
import { finishInteraction, interactionPath, requireInteraction } from './interaction.ts'
import type { Interaction, SignInDeps, InteractionRequest } from './interaction.ts'

/** The page that makes a local account, in the middle of a sign-in. */
export function registerNewAccountRoutes(scope: FastifyInstance, deps: SignInDeps): void {
  const { database, provider, signUp, formKey, now, limit } = deps
  const base = interactionPath(provider)

  scope.get(`${base}/:uid/new-account`, async (request: InteractionRequest, reply) => {
    const interaction = await requireInteraction(deps, request, reply)
    if (interaction === undefined) return reply
    if (!signUp.offered) return showClosed(reply)
    return show(reply, interaction, { name: '', email: '', error: null })
  })

  scope.post(`${base}/:uid/new-account`, { config: limit }, async (request: InteractionRequest, reply) => {
    const interaction = await requireInteraction(deps, request, reply)
    if (interaction === undefined) return reply
    if (!signUp.offered) return showClosed(reply)
    const { name = '', email = '' } = request.body ?? {}
    const { accountId, error } = await createAccount(request.body ?? {}, {
      database,
      now: now(),
      refuse: (_trx, email) => Promise.resolve(signUp.maySignUp(email) ? null : emailNotAllowed),
    })
    if (accountId === undefined) return show(reply, interaction, { name, email, error }, 422)
    return finishInteraction(deps, request, reply, accountId)
  })

  function show(
    reply: FastifyReply,
    { uid }: Interaction,
    filled: { readonly name: string; readonly email: string; readonly error: string | null },
    status = 200,
  ): FastifyReply {
    const page = newAccountPage({
      ...filled,
      sentence: 'The account is stored in this installation only.',
      action: `${base}/${uid}/new-account`,
      token: makeFormToken(formKey, uid),
      signIn: `${base}/${uid}`,
    })
    return sendPage(reply, page, status)
  }
}

function showClosed(reply: FastifyReply): FastifyReply {
  return sendPage(
    reply,
    noticePage('Sign-up is closed', 'Ask the administrator of this installation for an account.'),
    403,
  )
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Db } from '../../db/database.ts'
import { newAccountPage } from '../pages/account-pages.ts'
import { noticePage, sendPage } from '../pages/render-page.ts'
import { findLocalAccount } from './account-store.ts'
import { createAccount, noNewAccount } from './create-account.ts'
import { makeFormToken } from './forms.ts'
import {
  finishInteraction,
  interactionPath,
  findInteractionOrSendError,
  type Interaction,
  type InteractionRequest,
  type SignInDeps,
} from './interaction.ts'

/** Registers the page that creates a local account during a sign-in. */
export function registerNewAccountRoutes(scope: FastifyInstance, deps: SignInDeps): void {
  const { database, provider, signUp, formKey, now, passwords, signInLimiter } = deps
  const base = interactionPath(provider)

  scope.get(`${base}/:uid/new-account`, async (request: InteractionRequest, reply) => {
    const interaction = await findInteractionOrSendError(deps, request, reply)
    if (interaction === undefined) return reply
    if (!signUp.isOffered) return showClosed(reply)
    return show(reply, interaction, { name: '', email: '', error: null })
  })

  scope.post(`${base}/:uid/new-account`, async (request: InteractionRequest, reply) => {
    const interaction = await findInteractionOrSendError(deps, request, reply)
    if (interaction === undefined) return reply
    if (!signUp.isOffered) return showClosed(reply)
    const fields = request.body ?? {}
    const { name = '', email = '' } = fields
    const findRefusal = async (trx: Db, normalizedEmail: string) => {
      if (signUp.isOpen) return null
      const known = await findLocalAccount(trx, normalizedEmail)
      return signUp.maySignUp(normalizedEmail) && known === undefined ? null : noNewAccount
    }
    const create = () => createAccount({ database, now, passwords, findRefusal }, fields)
    const { account, error } = await signInLimiter.attempt(reply, null, create)
    if (account === undefined) return show(reply, interaction, { name, email, error }, 422)
    return finishInteraction(deps, request, reply, account)
  })

  function show(
    reply: FastifyReply,
    { uid }: Interaction,
    values: { readonly name: string; readonly email: string; readonly error: string | null },
    status = 200,
  ): FastifyReply {
    const page = newAccountPage({
      ...values,
      text: 'The account is for this Yonder server only.',
      action: `${base}/${uid}/new-account`,
      token: makeFormToken(formKey, uid),
      signInUrl: `${base}/${uid}`,
    })
    return sendPage(reply, page, status)
  }
}

function showClosed(reply: FastifyReply): FastifyReply {
  return sendPage(
    reply,
    noticePage('Sign-up is closed', 'Ask the operator of this server for an account.'),
    403,
  )
}

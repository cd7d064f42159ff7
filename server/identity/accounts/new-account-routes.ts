import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/database.ts'
import { newAccountPage, type NewAccountForm } from '../pages/account-pages.ts'
import { noticePage, PageError, sendPage } from '../pages/render-page.ts'
import { findLocalAccount } from './account-store.ts'
import { createAccount, noNewAccount } from './create-account.ts'
import { makeFormToken, type PageDeps } from './forms.ts'
import {
  finishInteraction,
  interactionPath,
  requireInteraction,
  type Interaction,
  type InteractionRequest,
} from './interaction.ts'

const closed = noticePage('Sign-up is closed', 'Ask the operator of this server for an account.')

/** Registers the page that creates a local account during a sign-in. */
export function registerNewAccountRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { database, provider, signUp, formKey, now, passwords, signInLimiter } = deps
  const base = interactionPath(provider)

  scope.get(`${base}/:uid/new-account`, async (request: InteractionRequest, reply) => {
    const interaction = await requireInteraction(deps, request, reply)
    if (!signUp.isOffered) throw new PageError(closed, 403)
    return sendPage(reply, show(interaction, { name: '', email: '', error: null }))
  })

  scope.post(`${base}/:uid/new-account`, async (request: InteractionRequest, reply) => {
    const interaction = await requireInteraction(deps, request, reply)
    if (!signUp.isOffered) throw new PageError(closed, 403)
    const fields = request.body ?? {}
    const { name = '', email = '' } = fields
    const findRefusal = async (trx: Db, normalizedEmail: string) => {
      if (signUp.isOpen) return null
      const known = await findLocalAccount(trx, normalizedEmail)
      return signUp.maySignUp(normalizedEmail) && known === undefined ? null : noNewAccount
    }
    const create = () => createAccount({ database, now, passwords, findRefusal }, fields)
    const { account, error } = await signInLimiter.attempt(reply, null, create)
    if (account === undefined) return sendPage(reply, show(interaction, { name, email, error }), 422)
    return finishInteraction(deps, request, reply, account)
  })

  function show({ uid }: Interaction, values: Pick<NewAccountForm, 'name' | 'email' | 'error'>) {
    return newAccountPage({
      ...values,
      text: 'The account is for this Yonder server only.',
      action: `${base}/${uid}/new-account`,
      token: makeFormToken(formKey, uid),
      signInUrl: `${base}/${uid}`,
    })
  }
}

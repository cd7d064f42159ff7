import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Db } from '../../db/database.ts'
import type { AccountRow } from '../../db/tables/tables.ts'
import { newAccountPage, signInPage, type NewAccountForm } from '../pages/account-pages.ts'
import { noticePage, PageError, sendPage } from '../pages/render-page.ts'
import { googleConnection } from '../provider/provider-configuration.ts'
import { findLocalAccount, updatePassword } from './account-store.ts'
import { createAccount, maxPasswordChars, noNewAccount, normalizeEmail } from './create-account.ts'
import { makeFormToken, type PageDeps } from './forms.ts'
import {
  finishInteraction,
  interactionPath,
  requireInteraction,
  type Interaction,
  type InteractionRequest,
} from './interaction.ts'

/** Registers the sign-in page of the embedded provider. */
export function registerSignInRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { provider, signUp, formKey, google, signInLimiter } = deps
  const base = interactionPath(provider)

  scope.get(`${base}/:uid`, async (request: InteractionRequest, reply) => {
    const interaction = await requireInteraction(deps, request, reply)
    const isForGoogle = interaction.params['connection'] === googleConnection
    // `choose` is set when the sign-in with Google has failed and the user returns to choose another way.
    if (isForGoogle && google !== null && request.query.choose === undefined) {
      return reply.redirect(`${base}/${interaction.uid}/google`, 303)
    }
    // The web app names the user who has to sign in again.
    const { login_hint: email = '' } = interaction.params
    return show(reply, interaction, { email: String(email), error: null })
  })

  scope.post(`${base}/:uid`, async (request: InteractionRequest, reply) => {
    const interaction = await requireInteraction(deps, request, reply)
    const { email = '', password = '' } = request.body ?? {}
    const account = await signInLimiter.attempt(reply, normalizeEmail(email), () =>
      findAccountByPassword(deps, { email, password }),
    )
    if (account === undefined) {
      return show(
        reply,
        interaction,
        { email, error: 'E-mail or password is wrong. Check both and try again.' },
        401,
      )
    }
    return finishInteraction(deps, request, reply, account)
  })

  async function show(
    reply: FastifyReply,
    { uid, params }: Interaction,
    values: { readonly email: string; readonly error: string | null },
    status = 200,
  ): Promise<FastifyReply> {
    const page = signInPage({
      ...values,
      action: `${base}/${uid}`,
      token: makeFormToken(formKey, uid),
      needsSetUp: await deps.needsSetUp(),
      isGoogleMissing: google === null && params['connection'] === googleConnection,
      newAccountUrl: signUp.isOffered ? `${base}/${uid}/new-account` : null,
      googleUrl: google === null ? null : `${base}/${uid}/google`,
    })
    return sendPage(reply, page, status)
  }
}

/**
 * The account with this e-mail and password. An unknown e-mail costs as much computation as a wrong password, so that
 * the response time does not reveal which e-mails have an account. A hash of a lower cost than new ones is
 * replaced, which needs the password.
 */
export async function findAccountByPassword(
  deps: Pick<PageDeps, 'database' | 'passwords'>,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Pick<AccountRow, 'id' | 'password_hash'> | undefined> {
  const {
    database: { db },
    passwords,
  } = deps
  const normalized = normalizeEmail(email)
  const account = normalized === null ? undefined : await findLocalAccount(db, normalized)
  const hash = account?.password_hash
  if (!(await passwords.isPassword(password.slice(0, maxPasswordChars), hash))) return undefined
  const isReplaceable = account?.disabled_at === null && hash !== null && hash !== undefined
  if (!isReplaceable || !passwords.isOutdated(hash)) return account
  const password_hash = await passwords.hash(password)
  if (await updatePassword(db, account.id, hash, password_hash)) return { id: account.id, password_hash }
  // Another sign-in has replaced the hash, the password was changed, or the account was disabled.
  return findAccountByPassword(deps, { email, password })
}

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
    const { account, error } = await signInLimiter.create(reply, create)
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

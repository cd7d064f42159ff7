import type { FastifyInstance, FastifyReply } from 'fastify'
import { findLocalAccount } from './account-store.ts'
import { googleConnection } from '../provider/provider-configuration.ts'
import { makeFormToken } from './forms.ts'
import { isPassword } from './hash-password.ts'
import { Email } from './create-account.ts'
import { signInPage } from '../pages/account-pages.ts'
import { sendPage } from '../pages/render-page.ts'
import { finishInteraction, interactionPath, requireInteraction } from './interaction.ts'
import type { Interaction, SignInDeps, InteractionRequest } from './interaction.ts'

/** The sign-in page of the embedded provider. */
export function registerSignInRoutes(scope: FastifyInstance, deps: SignInDeps): void {
  const { database, provider, signUp, formKey, google, limit } = deps
  const base = interactionPath(provider)

  scope.get(`${base}/:uid`, async (request: InteractionRequest, reply) => {
    const interaction = await requireInteraction(deps, request, reply)
    if (interaction === undefined) return reply
    const asksGoogle = interaction.params['connection'] === googleConnection
    // After a failure at Google the user may choose another way.
    if (asksGoogle && google !== null && request.query.choose === undefined) {
      return reply.redirect(`${base}/${interaction.uid}/google`, 303)
    }
    return show(reply, interaction, { email: '', error: null })
  })

  scope.post(`${base}/:uid`, { config: limit }, async (request: InteractionRequest, reply) => {
    const interaction = await requireInteraction(deps, request, reply)
    if (interaction === undefined) return reply
    const { email = '', password = '' } = request.body ?? {}
    const accountId = await findAccountByPassword(email, password)
    if (accountId === undefined) {
      return show(
        reply,
        interaction,
        { email, error: 'E-mail or password is wrong. Check both and try again.' },
        401,
      )
    }
    return finishInteraction(deps, request, reply, accountId)
  })

  /** Neither the message nor the response time reveals whether the e-mail is known. */
  async function findAccountByPassword(text: string, password: string): Promise<string | undefined> {
    const email = Email.safeParse(text)
    const account = email.success ? await findLocalAccount(database.db, email.data) : undefined
    const right = await isPassword(password.slice(0, 1_000), account?.password_hash)
    return right ? account?.id : undefined
  }

  function show(
    reply: FastifyReply,
    { uid, params }: Interaction,
    filled: { readonly email: string; readonly error: string | null },
    status = 200,
  ): FastifyReply {
    const page = signInPage({
      ...filled,
      action: `${base}/${uid}`,
      token: makeFormToken(formKey, uid),
      googleMissing: google === null && params['connection'] === googleConnection,
      newAccount: signUp.offered ? `${base}/${uid}/new-account` : null,
      google: google === null ? null : `${base}/${uid}/google`,
    })
    return sendPage(reply, page, status)
  }
}

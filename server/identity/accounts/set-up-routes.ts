import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db, Database } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { LazyProvider } from '../provider/provider.ts'
import { newAccountPage } from '../pages/account-pages.ts'
import { noticePage, sendPage } from '../pages/render-page.ts'
import { createAccount } from './create-account.ts'
import type { PasswordHasher } from './hash-password.ts'
import { isFormToken, makeFormToken } from './forms.ts'
import { endSetUp, isSetUpToken } from './set-up-token.ts'
import type { SignInBudget } from './sign-in-budget.ts'

export interface SetUpDeps {
  readonly database: Pick<Database, 'db' | 'dialect'>
  readonly sealer: Sealer
  readonly formKey: string
  readonly provider: LazyProvider
  readonly now: () => number
  readonly passwords: PasswordHasher
  readonly budget: SignInBudget
}

type SetUpRequest = FastifyRequest<{
  Querystring: { token?: unknown }
  Body: Readonly<Record<string, string>> | null | undefined
}>

/** Registers the page of the set-up link, which a closed installation prints until it has an account (§15.4). */
export function registerSetUpRoutes(scope: FastifyInstance, deps: SetUpDeps): void {
  const { database, sealer, provider, formKey, now, passwords, budget } = deps
  const path = `${new URL(provider.issuer).pathname}/set-up`

  scope.get(path, async (request: SetUpRequest, reply) => {
    const { token } = request.query
    if (!(await isSetUpToken(database.db, sealer, token))) return showInvalidLink(reply)
    return show(reply, String(token), { name: '', email: '', error: null })
  })

  scope.post(path, async (request: SetUpRequest, reply) => {
    const { token } = request.query
    if (!(await isSetUpToken(database.db, sealer, token))) return showInvalidLink(reply)
    const fields = request.body ?? {}
    if (!isFormToken(formKey, `set-up ${String(token)}`, fields['form'])) return showInvalidLink(reply)
    const findRefusal = async (trx: Db) => ((await endSetUp(trx)) ? null : invalidLink)
    const create = () => createAccount({ database, now, passwords, findRefusal }, fields)
    const { account, error } = await budget.attempt(reply, null, create)
    if (account === undefined) {
      const { name = '', email = '' } = fields
      return show(reply, String(token), { name, email, error }, 422)
    }
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
    token: string,
    values: { readonly name: string; readonly email: string; readonly error: string | null },
    status = 200,
  ): FastifyReply {
    const page = newAccountPage({
      ...values,
      text: 'You are creating the first account of this Yonder server.',
      action: `${path}?token=${encodeURIComponent(token)}`,
      token: makeFormToken(formKey, `set-up ${token}`),
      signInUrl: null,
    })
    return sendPage(reply, page, status)
  }
}

const invalidLink =
  'The set-up link was already used or is not complete. If you have an account, sign in. Otherwise copy the whole link from the output of the server.'

function showInvalidLink(reply: FastifyReply): FastifyReply {
  return sendPage(reply, noticePage('This link is not valid', invalidLink), 403)
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db, Database } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { newAccountPage } from '../pages/account-pages.ts'
import { noticePage, sendPage } from '../pages/render-page.ts'
import type { LazyProvider } from '../provider/provider.ts'
import { createAccount } from './create-account.ts'
import { isFormToken, makeFormToken } from './forms.ts'
import type { PasswordHasher } from './hash-password.ts'
import { consumeLink, findLinkSubject, invitations } from './operator-links.ts'
import { endSetUp, isSetUpToken } from './set-up-token.ts'
import type { SignInLimiter } from './sign-in-limiter.ts'

export interface AccountLinkDeps {
  readonly database: Pick<Database, 'db' | 'dialect'>
  readonly sealer: Sealer
  readonly formKey: string
  readonly provider: LazyProvider
  readonly now: () => number
  readonly passwords: PasswordHasher
  readonly signInLimiter: SignInLimiter
}

/** A link with which a user creates an account, also while sign-up is closed. */
interface AccountLink {
  /** The path of its page below the issuer. */
  readonly path: string
  /** What the page says. */
  readonly text: string
  /** What the page says when the link is not valid. */
  readonly invalid: string
  /** Returns undefined when the token is not valid. `email` is that of the account, null when the user chooses one. */
  find(token: unknown): Promise<{ readonly email: string | null } | undefined>
  /** Uses up the link in the transaction that stores the account. Returns false when another request has used it. */
  consume(trx: Db, token: string): Promise<boolean>
}

/** Registers the pages of the set-up link, and of the link that `yonder users invite` prints. */
export function registerAccountLinks(scope: FastifyInstance, deps: AccountLinkDeps): void {
  const { database, sealer, now } = deps
  registerAccountLink(scope, deps, {
    path: '/set-up',
    text: 'You are creating the first account of this Yonder server.',
    invalid:
      'The set-up link is not complete, or it is no longer valid because the server has an account. If you have an account, sign in. Otherwise copy the whole link from the log of the server.',
    find: async (token) => ((await isSetUpToken(database.db, sealer, token)) ? { email: null } : undefined),
    consume: endSetUp,
  })
  registerAccountLink(scope, deps, {
    path: invitations.path,
    text: 'You are invited to this Yonder server.',
    invalid:
      'The invitation was already used or replaced or has expired, or its link was not copied completely. If you have an account, sign in. Otherwise ask the operator of this server for a new invitation.',
    find: async (token) => {
      const email = await findLinkSubject(database.db, sealer, invitations, token, now())
      return email === undefined ? undefined : { email }
    },
    consume: (trx, token) => consumeLink(trx, invitations, token, now()),
  })
}

type AccountLinkRequest = FastifyRequest<{
  Querystring: { token?: unknown }
  Body: Readonly<Record<string, string>> | null | undefined
}>

interface FormValues {
  readonly name: string
  readonly email: string
  readonly error: string | null
}

function registerAccountLink(
  scope: FastifyInstance,
  { database, provider, formKey, now, passwords, signInLimiter }: AccountLinkDeps,
  link: AccountLink,
): void {
  const path = `${new URL(provider.issuer).pathname}${link.path}`
  const formSubject = (token: string) => `${link.path} ${token}`

  scope.get(path, async (request: AccountLinkRequest, reply) => {
    const { token } = request.query
    const found = await link.find(token)
    if (found === undefined) return showInvalid(reply)
    return show(reply, String(token), found.email, { name: '', email: found.email ?? '', error: null })
  })

  scope.post(path, async (request: AccountLinkRequest, reply) => {
    const token = String(request.query.token)
    const { form, name = '', password = '', ...fields } = request.body ?? {}
    const found = await link.find(token)
    if (found === undefined || !isFormToken(formKey, formSubject(token), form)) return showInvalid(reply)
    const email = found.email ?? fields['email'] ?? ''
    const findRefusal = async (trx: Db) => ((await link.consume(trx, token)) ? null : link.invalid)
    const create = () => createAccount({ database, now, passwords, findRefusal }, { name, email, password })
    const { account, error } = await signInLimiter.attempt(reply, null, create)
    if (account === undefined) return show(reply, token, found.email, { name, email, error }, 422)
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
    fixedEmail: string | null,
    values: FormValues,
    status = 200,
  ): FastifyReply {
    const page = newAccountPage({
      ...values,
      text: link.text,
      isEmailFixed: fixedEmail !== null,
      action: `${path}?token=${encodeURIComponent(token)}`,
      token: makeFormToken(formKey, formSubject(token)),
      signInUrl: null,
    })
    return sendPage(reply, page, status)
  }

  function showInvalid(reply: FastifyReply): FastifyReply {
    return sendPage(reply, noticePage('This link is not valid', link.invalid), 403)
  }
}

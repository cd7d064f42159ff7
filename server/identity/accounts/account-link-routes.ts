import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/database.ts'
import { newAccountPage, type NewAccountForm } from '../pages/account-pages.ts'
import { noticePage, sendPage } from '../pages/render-page.ts'
import { createAccount } from './create-account.ts'
import type { PageDeps } from './forms.ts'
import { registerLinkPage, type LinkPage, type OpenedLink } from './link-page.ts'
import { consumeLink, findLinkSubject, invitations } from './operator-links.ts'
import { endSetUp, isSetUpToken } from './set-up-token.ts'

/** Whose account a link creates. The e-mail is null when the user chooses one. */
interface Invited {
  readonly email: string | null
}

/** A link with which a user creates an account, also while sign-up is closed. */
interface AccountLink extends Pick<LinkPage<Invited>, 'path' | 'invalid' | 'find'> {
  /** What the page says. */
  readonly text: string
  /** Uses up the link in the transaction that stores the account. Returns false when another request has used it. */
  consume(trx: Db, token: string): Promise<boolean>
}

/** Registers the pages of the set-up link, and of the link that `yonder users invite` prints. */
export function registerAccountLinks(scope: FastifyInstance, deps: PageDeps): void {
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

function registerAccountLink(
  scope: FastifyInstance,
  deps: PageDeps,
  { text, consume, ...link }: AccountLink,
): void {
  const { database, now, passwords, signInLimiter } = deps
  const show = (
    { found, form }: OpenedLink<Invited>,
    values: Pick<NewAccountForm, 'name' | 'email' | 'error'>,
  ) => newAccountPage({ ...form, ...values, text, isEmailFixed: found.email !== null, signInUrl: null })

  registerLinkPage(scope, deps, {
    ...link,
    show: (opened) => show(opened, { name: '', email: opened.found.email ?? '', error: null }),
    async submit(opened, { name = '', password = '', ...fields }, reply) {
      const email = opened.found.email ?? fields['email'] ?? ''
      const findRefusal = async (trx: Db) => ((await consume(trx, opened.token)) ? null : link.invalid)
      const create = () => createAccount({ database, now, passwords, findRefusal }, { name, email, password })
      const { account, error } = await signInLimiter.attempt(reply, null, create)
      if (account === undefined) return sendPage(reply, show(opened, { name, email, error }), 422)
      const toYonder = { text: 'Go to Yonder', href: '/' }
      return sendPage(reply, noticePage('Your account is ready', 'Sign in to start using Yonder.', toYonder))
    },
  })
}

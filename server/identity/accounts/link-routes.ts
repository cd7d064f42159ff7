import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Db } from '../../db/database.ts'
import type { AccountRow } from '../../db/tables/tables.ts'
import { newAccountPage, type NewAccountForm } from '../pages/account-pages.ts'
import type { FormTarget } from '../pages/fields.ts'
import { noticePage, PageError, sendPage, toYonder, type Page } from '../pages/render-page.ts'
import { resetPage } from '../pages/security-pages.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import { findAccount, lockAccount, updatePassword } from './account-store.ts'
import { createAccount, findPasswordProblem } from './create-account.ts'
import { basePath, hasFormToken, makeFormToken, type PageDeps, type PageRequest } from './forms.ts'
import { consumeLink, findLinkSubject, invitations, resetLinks } from './operator-links.ts'
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
      const { account, error } = await signInLimiter.create(reply, create)
      if (account === undefined) return sendPage(reply, show(opened, { name, email, error }), 422)
      return sendPage(reply, noticePage('Your account is ready', 'Sign in to start using Yonder.', toYonder))
    },
  })
}

type ResetDeps = Pick<
  PageDeps,
  'database' | 'sealer' | 'provider' | 'formKey' | 'now' | 'passwords' | 'signInLimiter'
> & { readonly sessions: Pick<PageDeps['sessions'], 'notifyEnded'> }

type ResettableAccount = AccountRow & { readonly password_hash: string }

/** Registers the page of the link that `yonder users reset` prints. */
export function registerResetRoutes(scope: FastifyInstance, deps: ResetDeps): void {
  const { sealer, sessions, now, passwords, signInLimiter } = deps
  const { db } = deps.database
  const show = ({ found, form }: OpenedLink<AccountRow>, error: string | null) =>
    resetPage({ ...form, email: found.email ?? found.id, error })

  registerLinkPage<ResettableAccount>(scope, deps, {
    path: resetLinks.path,
    invalid:
      'The link was already used or replaced, has expired, or is not complete, or the account is disabled. Ask the operator of this server.',
    async find(token) {
      const accountId = await findLinkSubject(db, sealer, resetLinks, token, now())
      const account = accountId === undefined ? undefined : await findAccount(db, accountId)
      return isResettable(account) ? account : undefined
    },
    show: (opened) => show(opened, null),
    async submit(opened, { password = '' }, reply) {
      const { found, token } = opened
      const problem = findPasswordProblem(password)
      if (problem !== null) return sendPage(reply, show(opened, problem), 422)
      const hash = await signInLimiter.attempt(reply, null, () => passwords.hash(password))
      const ended = await db.transaction().execute(async (trx) => {
        // Read again, because the operator may have disabled the account meanwhile. Then the link is not used up.
        const current = await lockAccount(trx, found.id)
        if (!isResettable(current) || !(await consumeLink(trx, resetLinks, token, now()))) return undefined
        await updatePassword(trx, current.id, current.password_hash, hash)
        return endSignIns(trx, found.id, { now: now() })
      })
      if (ended === undefined) return undefined
      await sessions.notifyEnded(found.id, ended)
      return sendPage(reply, noticePage('Your password is set', 'Sign in with your new password.', toYonder))
    },
  })
}

function isResettable(account: AccountRow | undefined): account is ResettableAccount {
  return account?.disabled_at === null && account.password_hash !== null
}

/** A page that a link with a token opens, and its form. */
interface LinkPage<Found> {
  /** The path below the issuer. */
  readonly path: string
  /** What the page says when the link is not valid. */
  readonly invalid: string
  /** Returns what the link is for, or undefined when the token is not valid. */
  find(token: unknown): Promise<Found | undefined>
  show(opened: OpenedLink<Found>): Page
  /** Does what the form asks for. Resolves to undefined when the link is not valid any more. */
  submit(
    opened: OpenedLink<Found>,
    fields: Readonly<Record<string, string>>,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined>
}

interface OpenedLink<Found> {
  readonly found: Found
  readonly token: string
  readonly form: FormTarget
}

function registerLinkPage<Found>(
  scope: FastifyInstance,
  { provider, formKey }: Pick<PageDeps, 'provider' | 'formKey'>,
  link: LinkPage<Found>,
): void {
  const path = basePath(provider) + link.path
  const invalid = new PageError(noticePage('This link is not valid', link.invalid), 403)
  const subjectOf = (token: string) => `${link.path} ${token}`

  async function open({ query }: PageRequest): Promise<OpenedLink<Found>> {
    const found = await link.find(query.token)
    if (found === undefined) throw invalid
    const token = String(query.token)
    const action = `${path}?token=${encodeURIComponent(token)}`
    return { found, token, form: { action, token: makeFormToken(formKey, subjectOf(token)) } }
  }

  scope.get(path, async (request: PageRequest, reply) => sendPage(reply, link.show(await open(request))))

  scope.post(path, async (request: PageRequest, reply) => {
    const opened = await open(request)
    if (!hasFormToken(formKey, subjectOf(opened.token), request)) throw invalid
    const sent = await link.submit(opened, request.body ?? {}, reply)
    if (sent === undefined) throw invalid
    return sent
  })
}

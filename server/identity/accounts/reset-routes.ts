import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { AccountRow } from '../../db/tables/tables.ts'
import { noticePage, sendPage } from '../pages/render-page.ts'
import { resetPage } from '../pages/security-pages.ts'
import type { EmbeddedSessions } from '../sessions/embedded-sessions.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import { findAccount, lockAccount, updatePassword } from './account-store.ts'
import { findPasswordProblem } from './change-password.ts'
import { isFormToken, makeFormToken } from './forms.ts'
import type { SignInDeps } from './interaction.ts'
import { findLinkSubject, resetLinks, consumeLink } from './operator-links.ts'

export interface ResetDeps extends Pick<
  SignInDeps,
  'database' | 'provider' | 'formKey' | 'now' | 'passwords' | 'signInLimiter'
> {
  readonly sealer: Sealer
  readonly sessions: Pick<EmbeddedSessions, 'notifyEnded'>
}

type ResetRequest = FastifyRequest<{
  Querystring: { token?: unknown }
  Body: Readonly<Record<string, string>> | null | undefined
}>

/** Registers the page of the link that `yonder users reset` prints. */
export function registerResetRoutes(scope: FastifyInstance, deps: ResetDeps): void {
  const { database, provider, formKey, sessions, now, passwords, signInLimiter } = deps
  const path = `${new URL(provider.issuer).pathname}${resetLinks.path}`

  scope.get(path, async (request: ResetRequest, reply) => {
    const { token } = request.query
    const account = await findResettable(deps, token)
    if (account === undefined) return showInvalidLink(reply)
    return show(reply, account, String(token), null)
  })

  scope.post(path, async (request: ResetRequest, reply) => {
    const token = String(request.query.token)
    const { form, password = '' } = request.body ?? {}
    const account = await findResettable(deps, token)
    if (account === undefined || !isFormToken(formKey, formSubject(token), form))
      return showInvalidLink(reply)
    const problem = findPasswordProblem(password)
    if (problem !== null) return show(reply, account, token, problem, 422)
    const hash = await signInLimiter.attempt(reply, null, () => passwords.hash(password))
    const ended = await database.db.transaction().execute(async (trx) => {
      // Read again, because the operator may have disabled the account meanwhile. Then the link is not used up.
      const current = await lockAccount(trx, account.id)
      if (!isResettable(current) || !(await consumeLink(trx, resetLinks, token, now()))) return undefined
      await updatePassword(trx, current.id, current.password_hash, hash)
      return endSignIns(trx, account.id, { now: now() })
    })
    if (ended === undefined) return showInvalidLink(reply)
    await sessions.notifyEnded(account.id, ended)
    return sendPage(
      reply,
      noticePage('Your password is set', 'Sign in with your new password.', {
        text: 'Go to Yonder',
        href: '/',
      }),
    )
  })

  function show(
    reply: FastifyReply,
    { email, id }: AccountRow,
    token: string,
    error: string | null,
    status = 200,
  ): FastifyReply {
    const page = resetPage({
      action: `${path}?token=${encodeURIComponent(token)}`,
      token: makeFormToken(formKey, formSubject(token)),
      email: email ?? id,
      error,
    })
    return sendPage(reply, page, status)
  }
}

const formSubject = (token: string) => `reset ${token}`

/** The account of a valid link. Undefined also when the account is disabled or has no password. */
async function findResettable(
  { database: { db }, sealer, now }: ResetDeps,
  token: unknown,
): Promise<AccountRow | undefined> {
  const accountId = await findLinkSubject(db, sealer, resetLinks, token, now())
  const account = accountId === undefined ? undefined : await findAccount(db, accountId)
  return isResettable(account) ? account : undefined
}

function isResettable(
  account: AccountRow | undefined,
): account is AccountRow & { readonly password_hash: string } {
  return account?.disabled_at === null && account.password_hash !== null
}

function showInvalidLink(reply: FastifyReply): FastifyReply {
  const text =
    'The link was already used or replaced, has expired, or is not complete, or the account is disabled. Ask the operator of this server.'
  return sendPage(reply, noticePage('This link is not valid', text), 403)
}

import type { FastifyInstance } from 'fastify'
import type { AccountRow } from '../../db/tables/tables.ts'
import { noticePage, sendPage } from '../pages/render-page.ts'
import { resetPage } from '../pages/security-pages.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import { findAccount, lockAccount, updatePassword } from './account-store.ts'
import { findPasswordProblem } from './create-account.ts'
import type { PageDeps } from './forms.ts'
import { registerLinkPage, type OpenedLink } from './link-page.ts'
import { consumeLink, findLinkSubject, resetLinks } from './operator-links.ts'

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
      const toYonder = { text: 'Go to Yonder', href: '/' }
      return sendPage(reply, noticePage('Your password is set', 'Sign in with your new password.', toYonder))
    },
  })
}

function isResettable(account: AccountRow | undefined): account is ResettableAccount {
  return account?.disabled_at === null && account.password_hash !== null
}

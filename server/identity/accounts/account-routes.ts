import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AccountRow } from '../../db/tables/tables.ts'
import { noticePage, PageError, sendPage, toYonder } from '../pages/render-page.ts'
import { securityPage, type SecurityView } from '../pages/security-pages.ts'
import { hashRecordId } from '../provider/oidc-store.ts'
import { lifetimeSeconds } from '../provider/token-lifetimes.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import { listSignIns } from '../sessions/sign-in-store.ts'
import { findAccount, updatePassword } from './account-store.ts'
import { findPasswordProblem, maxPasswordChars } from './create-account.ts'
import { basePath, hasFormToken, makeFormToken, type PageDeps, type PageRequest } from './forms.ts'

/** The account that is signed in at the provider in this browser. */
interface CurrentSignIn {
  readonly account: AccountRow
  readonly grantId: string
}

/** What a form has done, by the value of `done` in the address of the page. */
const notices: ReadonlyMap<unknown, string> = new Map([
  ['password', 'Your password is changed. Every other browser is signed out.'],
  ['sign-out', 'The browser is signed out.'],
])

const noPassword = noticePage(
  'This account has no password',
  'You sign in with Google. Change your password there.',
)

/**
 * Registers the pages of 'Account and security'. They find the sign-in by the provider's cookie of the browser, which
 * no script can read, and every form needs the hidden token of that sign-in.
 */
export function registerAccountRoutes(scope: FastifyInstance, deps: PageDeps): void {
  const { provider, formKey, now, sessions, passwords, signInLimiter } = deps
  const { db } = deps.database
  const path = `${basePath(provider)}/account`

  scope.get(path, async (request: PageRequest, reply) => {
    const current = await requireSignIn(deps, request, reply)
    return show(reply, current, { notice: notices.get(request.query.done) ?? null, problem: null })
  })

  scope.post(`${path}/password`, async (request: PageRequest, reply) => {
    const current = await requireSignIn(deps, request, reply)
    const { id, email, password_hash } = current.account
    const { current: known = '', password = '' } = request.body ?? {}
    const refuse = (field: 'current' | 'password', text: string, status: number) =>
      show(reply, current, { notice: null, problem: { text, field } }, status)
    if (password_hash === null) return sendPage(reply, noPassword, 409)
    const problem = findPasswordProblem(password)
    if (problem !== null) return refuse('password', problem, 422)
    if (password === known)
      return refuse('password', 'Choose a password that differs from the current one.', 422)
    // The limit of the sign-in form, so that passwords cannot be guessed faster in a signed-in browser.
    const checked = await signInLimiter.attempt(reply, email, async () =>
      (await passwords.isPassword(known.slice(0, maxPasswordChars), password_hash)) ? true : undefined,
    )
    if (checked === undefined)
      return refuse('current', 'The current password is wrong. The password was not changed.', 401)
    const hash = await passwords.hash(password)
    const ended = await db.transaction().execute(async (trx) => {
      if (!(await updatePassword(trx, id, password_hash, hash))) return undefined
      return endSignIns(trx, id, { now: now(), keep: current.grantId })
    })
    if (ended === undefined) {
      const text = 'The account has changed meanwhile. The password was not changed. Reload this page.'
      return refuse('current', text, 409)
    }
    await sessions.notifyEnded(id, ended)
    return reply.redirect(`${path}?done=password`, 303)
  })

  scope.post(`${path}/sign-out`, async (request: PageRequest, reply) => {
    const { account } = await requireSignIn(deps, request, reply)
    const chosen = (await listSignIns(db, account.id)).find(
      ({ grant_id }) => hashRecordId(grant_id) === request.body?.['sign-in'],
    )
    if (chosen !== undefined) await sessions.endSignIn(account.id, chosen.grant_id)
    return reply.redirect(`${path}?done=sign-out`, 303)
  })

  scope.post(`${path}/sign-out-everywhere`, async (request: PageRequest, reply) => {
    const { account } = await requireSignIn(deps, request, reply)
    await sessions.endAll(account.id)
    return sendPage(
      reply,
      noticePage('You are signed out everywhere', 'Sign in again to continue.', toYonder),
    )
  })

  async function show(
    reply: FastifyReply,
    { account, grantId }: CurrentSignIn,
    result: Pick<SecurityView, 'notice' | 'problem'>,
    status = 200,
  ): Promise<FastifyReply> {
    const page = securityPage({
      ...result,
      path,
      token: makeFormToken(formKey, formSubject(grantId)),
      email: account.email ?? account.name ?? account.id,
      hasPassword: account.password_hash !== null,
      signIns: await listSignIns(db, account.id, now() - lifetimeSeconds.grant * 1000),
      grantId,
    })
    return sendPage(reply, page, status)
  }
}

const formSubject = (grantId: string) => `account ${grantId}`

/**
 * Returns the sign-in of this browser.
 * @throws PageError when there is none, or when a form has no valid token
 */
async function requireSignIn(
  deps: PageDeps,
  request: PageRequest,
  reply: FastifyReply,
): Promise<CurrentSignIn> {
  const current = await findSignIn(deps, request, reply)
  if (current === undefined) {
    const text = 'Open Yonder and sign in. Then open this page again from the settings.'
    throw new PageError(noticePage('You are not signed in here', text), 401)
  }
  if (request.method === 'POST' && !hasFormToken(deps.formKey, formSubject(current.grantId), request)) {
    const text = 'Open the page again from the settings. Nothing was changed.'
    throw new PageError(noticePage('This form has expired', text), 403)
  }
  return current
}

async function findSignIn(
  { database: { db }, provider, clientId }: PageDeps,
  request: PageRequest,
  reply: FastifyReply,
): Promise<CurrentSignIn | undefined> {
  const loaded = await provider.load()
  const session = await loaded.Session.get(loaded.createContext(request.raw, reply.raw))
  const grantId = session.grantIdFor(clientId)
  if (session.accountId === undefined || grantId === undefined) return undefined
  const account = await findAccount(db, session.accountId)
  if (account === undefined || account.disabled_at !== null) return undefined
  const isListed = (await listSignIns(db, account.id)).some(({ grant_id }) => grant_id === grantId)
  return isListed ? { account, grantId } : undefined
}

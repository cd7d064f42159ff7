import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccountRow } from '../../db/tables/tables.ts'
import { noticePage, sendPage } from '../pages/render-page.ts'
import { securityPage, type SecurityView } from '../pages/security-pages.ts'
import { hashRecordId } from '../provider/oidc-store.ts'
import { lifetimeSeconds } from '../provider/token-lifetimes.ts'
import type { EmbeddedSessions } from '../sessions/embedded-sessions.ts'
import { listSignIns } from '../sessions/sign-in-store.ts'
import { findAccount } from './account-store.ts'
import { changePassword, findPasswordProblem, isCurrentPassword } from './change-password.ts'
import { isFormToken, makeFormToken } from './forms.ts'
import type { SignInDeps } from './interaction.ts'

export interface AccountDeps extends Pick<
  SignInDeps,
  'database' | 'provider' | 'formKey' | 'now' | 'passwords' | 'signInLimiter'
> {
  readonly clientId: string
  readonly sessions: Pick<EmbeddedSessions, 'endSignIn' | 'endAll' | 'notifyEnded'>
}

type AccountRequest = FastifyRequest<{
  Querystring: { done?: unknown }
  Body: Readonly<Record<string, string>> | null | undefined
}>

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
export function registerAccountRoutes(scope: FastifyInstance, deps: AccountDeps): void {
  const { database, provider, sessions, passwords, signInLimiter } = deps
  const path = accountPath(provider)

  scope.get(path, async (request: AccountRequest, reply) => {
    const current = await findSignInOrSendError(deps, request, reply)
    if (current === undefined) return reply
    return show(deps, reply, current, { notice: notices.get(request.query.done) ?? null, problem: null })
  })

  scope.post(`${path}/password`, async (request: AccountRequest, reply) => {
    const current = await findSignInOrSendError(deps, request, reply)
    if (current === undefined) return reply
    const { account, grantId } = current
    const { current: currentPassword = '', password = '' } = request.body ?? {}
    const refuse = (field: 'current' | 'password', text: string, status: number) =>
      show(deps, reply, current, { notice: null, problem: { text, field } }, status)
    if (account.password_hash === null) return sendPage(reply, noPassword, 409)
    const problem = findPasswordProblem(password)
    if (problem !== null) return refuse('password', problem, 422)
    if (password === currentPassword)
      return refuse('password', 'Choose a password that differs from the current one.', 422)
    // The limit of the sign-in form, so that passwords cannot be guessed faster in a signed-in browser.
    const checked = await signInLimiter.attempt(reply, account.email, async () =>
      (await isCurrentPassword(passwords, account, currentPassword)) ? true : undefined,
    )
    if (checked === undefined)
      return refuse('current', 'The current password is wrong. The password was not changed.', 401)
    const change = await changePassword(deps, account, { password, keep: grantId })
    if (change.ended === undefined) return refuse('current', change.error, change.status)
    await sessions.notifyEnded(account.id, change.ended)
    return reply.redirect(`${path}?done=password`, 303)
  })

  scope.post(`${path}/sign-out`, async (request: AccountRequest, reply) => {
    const current = await findSignInOrSendError(deps, request, reply)
    if (current === undefined) return reply
    const chosen = (await listSignIns(database.db, current.account.id)).find(
      ({ grant_id }) => hashRecordId(grant_id) === request.body?.['sign-in'],
    )
    if (chosen !== undefined) await sessions.endSignIn(current.account.id, chosen.grant_id)
    return reply.redirect(`${path}?done=sign-out`, 303)
  })

  scope.post(`${path}/sign-out-everywhere`, async (request: AccountRequest, reply) => {
    const current = await findSignInOrSendError(deps, request, reply)
    if (current === undefined) return reply
    await sessions.endAll(current.account.id)
    return sendPage(
      reply,
      noticePage('You are signed out everywhere', 'Sign in again to continue.', {
        text: 'Go to Yonder',
        href: '/',
      }),
    )
  })
}

function accountPath({ issuer }: AccountDeps['provider']): string {
  return `${new URL(issuer).pathname}/account`
}

const formSubject = (grantId: string) => `account ${grantId}`

async function show(
  { database, provider, formKey, now }: AccountDeps,
  reply: FastifyReply,
  { account, grantId }: CurrentSignIn,
  result: Pick<SecurityView, 'notice' | 'problem'>,
  status = 200,
): Promise<FastifyReply> {
  const signIns = await listSignIns(database.db, account.id, now() - lifetimeSeconds.grant * 1000)
  const page = securityPage({
    ...result,
    path: accountPath(provider),
    token: makeFormToken(formKey, formSubject(grantId)),
    email: account.email ?? account.name ?? account.id,
    hasPassword: account.password_hash !== null,
    signIns: signIns.map(({ grant_id, browser, created_at, used_at }) => ({
      id: hashRecordId(grant_id),
      browser,
      createdAt: created_at,
      usedAt: used_at,
      isCurrent: grant_id === grantId,
    })),
  })
  return sendPage(reply, page, status)
}

/** Returns the sign-in of this browser. Without one, or when a form has no valid token, it sends an error page. */
async function findSignInOrSendError(
  deps: AccountDeps,
  request: AccountRequest,
  reply: FastifyReply,
): Promise<CurrentSignIn | undefined> {
  const current = await findSignIn(deps, request, reply)
  if (current === undefined) {
    const text = 'Open Yonder and sign in. Then open this page again from the settings.'
    sendPage(reply, noticePage('You are not signed in here', text), 401)
    return undefined
  }
  const subject = formSubject(current.grantId)
  if (request.method === 'POST' && !isFormToken(deps.formKey, subject, request.body?.['form'])) {
    sendPage(
      reply,
      noticePage('This form has expired', 'Open the page again from the settings. Nothing was changed.'),
      403,
    )
    return undefined
  }
  return current
}

async function findSignIn(
  { database: { db }, provider, clientId }: AccountDeps,
  request: AccountRequest,
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

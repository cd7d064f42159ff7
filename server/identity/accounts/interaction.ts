import type { FastifyReply } from 'fastify'
import type Provider from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import type { AccountRow } from '../../db/tables/tables.ts'
import { noticePage, PageError, sendPage, type Page } from '../pages/render-page.ts'
import { deleteAccountRecordsOfModel } from '../provider/oidc-store.ts'
import type { LazyProvider } from '../provider/provider.ts'
import { findAccount } from './account-store.ts'
import { basePath, hasFormToken, type PageDeps, type PageRequest } from './forms.ts'

export type InteractionRequest = PageRequest<{ uid: string }>
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** The path of the sign-in pages. */
export function interactionPath(provider: LazyProvider): string {
  return `${basePath(provider)}/interaction`
}

/**
 * Returns the sign-in that this browser has started, which the provider finds by its cookie.
 * @throws PageError when there is none, or when a form has no valid token
 */
export async function requireInteraction(
  { provider, formKey }: Pick<PageDeps, 'provider' | 'formKey'>,
  request: InteractionRequest,
  reply: FastifyReply,
): Promise<Interaction> {
  const interaction = await findInteraction(provider, request, reply)
  if (interaction === undefined)
    throw new PageError(noticePage('This sign-in has expired', 'Go back to Yonder and sign in again.'), 400)
  if (request.method === 'POST' && !hasFormToken(formKey, interaction.uid, request))
    throw new PageError(noticePage('This form cannot be used', 'Go back to Yonder and sign in again.'), 403)
  return interaction
}

/**
 * Stores the result of the sign-in and redirects the browser to the provider, which redirects it to the app. A disabled
 * account is refused. `verified` is the account as it was when its password, or Google, confirmed the user.
 */
export async function finishInteraction(
  { provider, database: { db } }: Pick<PageDeps, 'provider'> & { readonly database: Pick<Database, 'db'> },
  request: InteractionRequest,
  reply: FastifyReply,
  verified: Pick<AccountRow, 'id' | 'password_hash'>,
): Promise<FastifyReply> {
  const { id: accountId } = verified
  const refusal = findRefusal(await findAccount(db, accountId), verified)
  if (refusal !== null) return sendPage(reply, refusal, 403)
  const loaded = await provider.load()
  const location = await loaded.interactionResult(
    request.raw,
    reply.raw,
    { login: { accountId } },
    { mergeWithLastSubmission: false },
  )
  // Read again, because a change of the password before the result was stored could not delete the result.
  const laterRefusal = findRefusal(await findAccount(db, accountId), verified)
  if (laterRefusal === null) return reply.redirect(location, 303)
  await deleteAccountRecordsOfModel(db, 'Interaction', accountId)
  return sendPage(reply, laterRefusal, 403)
}

/** The page that says why an account may not sign in, although its user was confirmed. Null when it may. */
function findRefusal(
  current: AccountRow | undefined,
  verified: Pick<AccountRow, 'password_hash'>,
): Page | null {
  if (current === undefined) {
    return noticePage('This account was deleted', 'Ask the operator of this server for a new one.')
  }
  if (current.disabled_at !== null) {
    return noticePage('This account is disabled', 'Ask the operator of this server to enable it.')
  }
  if (current.password_hash === verified.password_hash) return null
  return noticePage('The password was changed', 'Go back to Yonder and sign in with the new password.')
}

async function findInteraction(
  provider: LazyProvider,
  request: InteractionRequest,
  reply: FastifyReply,
): Promise<Interaction | undefined> {
  try {
    const interaction = await (await provider.load()).interactionDetails(request.raw, reply.raw)
    return interaction.uid === request.params.uid ? interaction : undefined
  } catch (error) {
    // The cookie is missing, or the interaction or session that it belongs to has ended.
    if (error instanceof Error && 'error' in error && error.error === 'invalid_request') return undefined
    throw error
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type Provider from 'oidc-provider'
import type { Db, Database } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { newAccountPage } from '../pages/account-pages.ts'
import { noticePage, sendPage } from '../pages/render-page.ts'
import { findKey, insertKey, deleteKey } from '../provider/key-store.ts'
import { hasAccounts } from './account-store.ts'
import { createAccount } from './create-account.ts'
import { isFormToken, makeFormToken } from './forms.ts'

const keyName = 'set-up'

/** The name of the stored token. Deleting it uses up the link. */
export const setUpKey = keyName

/** The token of the link for creating the first account. Null once there is an account. */
export async function requireSetUpToken(db: Db, sealer: Sealer, now: number): Promise<string | null> {
  if (await hasAccounts(db)) return null
  await insertKey(db, keyName, sealer.seal(randomBytes(32).toString('base64url')), now)
  return (await findSetUpToken(db, sealer)) ?? null
}

export async function isSetUpToken(db: Db, sealer: Sealer, token: unknown): Promise<boolean> {
  const expected = await findSetUpToken(db, sealer)
  if (expected === undefined || typeof token !== 'string') return false
  const [known, given] = [Buffer.from(expected), Buffer.from(token)]
  return known.length === given.length && timingSafeEqual(known, given)
}

async function findSetUpToken(db: Db, sealer: Sealer): Promise<string | undefined> {
  const sealed = await findKey(db, keyName)
  return sealed === undefined ? undefined : sealer.open(sealed)
}

export interface SetUpDeps {
  readonly database: Pick<Database, 'db' | 'dialect'>
  readonly sealer: Sealer
  readonly formKey: string
  readonly provider: Provider
  readonly now: () => number
  readonly limit: { readonly rateLimit: object }
}

type SetUpRequest = FastifyRequest<{
  Querystring: { token?: unknown }
  Body: Readonly<Record<string, string>> | null | undefined
}>

/** Where the link leads that a closed installation prints at its first start: one account, once (§15.4). */
export function registerSetUpRoutes(scope: FastifyInstance, deps: SetUpDeps): void {
  const { database, sealer, provider, formKey, now, limit } = deps
  const path = `${new URL(provider.issuer).pathname}/set-up`

  scope.get(path, { config: limit }, async (request: SetUpRequest, reply) => {
    const { token } = request.query
    if (!(await isSetUpToken(database.db, sealer, token))) return showUsed(reply)
    return show(reply, String(token), { name: '', email: '', error: null })
  })

  scope.post(path, { config: limit }, async (request: SetUpRequest, reply) => {
    const { token } = request.query
    if (!(await isSetUpToken(database.db, sealer, token))) return showUsed(reply)
    const body = request.body ?? {}
    if (!isFormToken(formKey, `set-up ${String(token)}`, body['form'])) return showUsed(reply)
    const { accountId, error } = await createAccount(body, {
      database,
      now: now(),
      refuse: async (trx) => ((await deleteKey(trx, setUpKey)) ? null : usedSentence),
    })
    if (accountId === undefined) {
      return show(reply, String(token), { name: body['name'] ?? '', email: body['email'] ?? '', error }, 422)
    }
    return sendPage(
      reply,
      noticePage('Your account is ready', 'This Yonder is yours. Sign in to begin.', {
        text: 'Go to Yonder',
        href: '/',
      }),
    )
  })

  function show(
    reply: FastifyReply,
    token: string,
    filled: { readonly name: string; readonly email: string; readonly error: string | null },
    status = 200,
  ): FastifyReply {
    const page = newAccountPage({
      ...filled,
      sentence: 'The first account of this installation.',
      action: `${path}?token=${encodeURIComponent(token)}`,
      token: makeFormToken(formKey, `set-up ${token}`),
      signIn: null,
    })
    return sendPage(reply, page, status)
  }
}

const usedSentence =
  'The link was already used, or it is not the one that Yonder printed at its start. Sign in, or open the newest link.'

function showUsed(reply: FastifyReply): FastifyReply {
  return sendPage(reply, noticePage('This link does not work', usedSentence), 403)
}

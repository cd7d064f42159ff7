import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import type { Sealer } from '../../db/secrets/seal-secret.ts'
import { deleteKey } from '../provider/key-store.ts'
import { isFormToken, makeFormToken } from './form-token.ts'
import { createAccount } from './new-account.ts'
import { newAccountPage } from '../pages/new-account-page.ts'
import { noticePage } from '../pages/notice-page.ts'
import { sendPage } from '../pages/send-page.ts'
import { isSetUpToken, setUpKey } from './set-up-link.ts'

export interface SetUpDeps {
  readonly database: Pick<Database, 'db' | 'dialect'>
  readonly sealer: Sealer
  readonly formKey: string
  readonly provider: Provider
  readonly now: () => number
  readonly limit: { readonly rateLimit: object }
}

type Visit = FastifyRequest<{
  Querystring: { token?: unknown }
  Body: Readonly<Record<string, string>> | null | undefined
}>

/** Where the link leads that a closed installation prints at its first start: one account, once. */
export function registerSetUpRoutes(scope: FastifyInstance, deps: SetUpDeps): void {
  const { database, sealer, provider, formKey, now, limit } = deps
  const path = `${new URL(provider.issuer).pathname}/set-up`

  scope.get(path, { config: limit }, async (request: Visit, reply) => {
    const { token } = request.query
    if (!(await isSetUpToken(database.db, sealer, token))) return showUsed(reply)
    return show(reply, String(token), { name: '', email: '', error: null })
  })

  scope.post(path, { config: limit }, async (request: Visit, reply) => {
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
      sentence: 'The first account of this Yonder.',
      action: `${path}?token=${encodeURIComponent(token)}`,
      token: makeFormToken(formKey, `set-up ${token}`),
      signIn: null,
    })
    return sendPage(reply, page, status)
  }
}

const usedSentence = 'This link was used already, or is not the one that was printed.'

function showUsed(reply: FastifyReply): FastifyReply {
  return sendPage(reply, noticePage('This link does not work', usedSentence), 403)
}

import { Bot, BotInput, BotList } from '@yonder/contract/bot'
import { z } from 'zod'
import type { Database } from '../db/database.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { Api } from '../http/api.ts'
import { requireUser } from '../identity/authenticate.ts'
import { normalizeText } from '../lib/text.ts'
import { findBotFacts, type BotFactsDeps } from './bot-facts.ts'
import { presentBot, type BotSecretDeps } from './bot-fields.ts'
import { deleteBot, listBots } from './bot-store.ts'
import { addBot, changeBot } from './save-bot.ts'

export interface BotRoutesDeps extends Pick<BotSecretDeps, 'sealer'>, BotFactsDeps {
  readonly database: Database
  readonly config: BotSecretDeps['config'] & BotFactsDeps['config']
}

export interface BotRoutesOptions {
  /** Called when a user's bots have changed. */
  readonly onChanged: (userId: string) => void
}

const NamedBot = z.object({ name: z.string().transform(normalizeText) })

/** Registers the routes of a user's bots. */
export function registerBotRoutes(
  api: Api,
  { database, sealer, config, now }: BotRoutesDeps,
  { onChanged }: BotRoutesOptions,
): void {
  const present = async (bot: BotRow): Promise<Bot> =>
    presentBot(bot, sealer, await findBotFacts({ config, now }, bot))

  api.get('/api/bots', { schema: { response: { 200: BotList } } }, async (request) => {
    const bots = await listBots(database.db, requireUser(request))
    return Promise.all(bots.map(present))
  })

  api.post('/api/bot', { schema: { body: BotInput, response: { 201: Bot } } }, async (request, reply) => {
    const user = requireUser(request)
    const bot = await addBot(database, { sealer, config }, user, request.body, now())
    onChanged(user.id)
    return reply.status(201).send(await present(bot))
  })

  api.put(
    '/api/bot/:name',
    { schema: { params: NamedBot, body: BotInput, response: { 200: Bot } } },
    async (request) => {
      const user = requireUser(request)
      const bot = await changeBot(database, { sealer, config }, user, request.params.name, request.body)
      onChanged(user.id)
      return present(bot)
    },
  )

  api.delete(
    '/api/bot/:name',
    { schema: { params: NamedBot, response: { 204: z.null() } } },
    async (request, reply) => {
      const user = requireUser(request)
      await deleteBot(database.db, user, request.params.name)
      onChanged(user.id)
      return reply.status(204).send(null)
    },
  )
}

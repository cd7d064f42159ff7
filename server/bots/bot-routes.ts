import { Bot, BotInput, BotList } from '@yonder/contract/bot'
import { z } from 'zod'
import type { Actor } from '../access/access.ts'
import type { Database, Db } from '../db/database.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { type Api, route } from '../http/api.ts'
import { readInPages } from '../http/send-pieces.ts'
import { requireUser } from '../identity/authenticate.ts'
import { normalizeText } from '../lib/text.ts'
import { presentBot, toBotValues, type BotSecretDeps, type NamedConnector } from './bot-fields.ts'
import { findBotFacts, type BotFactsDeps } from './bot-model.ts'
import { deleteBot, listBotPage, maxPageBots } from './bot-store.ts'
import { addBot, changeBot } from './save-bot.ts'

export interface BotRoutesDeps extends Pick<BotSecretDeps, 'sealer'>, BotFactsDeps {
  readonly database: Database
  readonly config: BotSecretDeps['config'] & BotFactsDeps['config']
}

export interface BotRoutesOptions {
  /** Called when a user's bots have changed. */
  readonly onChanged: (userId: string) => void
  /** Called when a bot was renamed or deleted: chats contain its name. */
  readonly onRenamed: (userId: string) => void
  /** Returns the user's connectors, after creating the default ones. */
  readonly listConnectors: (user: Actor) => Promise<readonly NamedConnector[]>
  /** Returns the user's connectors. Writes nothing. */
  readonly readConnectors: (db: Db, user: Actor) => Promise<readonly NamedConnector[]>
}

const NamedBot = z.object({ name: z.string().transform(normalizeText) })

/** Registers the routes of a user's bots. */
export function registerBotRoutes(
  api: Api,
  { database, sealer, config, listedModels, now }: BotRoutesDeps,
  { onChanged, onRenamed, listConnectors, readConnectors }: BotRoutesOptions,
): void {
  const present = async (bot: BotRow, connectors: readonly NamedConnector[]): Promise<Bot> =>
    presentBot(bot, sealer, await findBotFacts({ config, listedModels, now }, bot), connectors)

  /** Each page is of one moment: a bot and the connectors that it names. */
  async function* presentPages(user: Actor): AsyncGenerator<readonly Bot[]> {
    let last: BotRow | undefined
    do {
      const { bots, connectors } = await readSnapshot(database, async ({ db }) => ({
        bots: await listBotPage(db, user, last),
        connectors: await readConnectors(db, user),
      }))
      yield await Promise.all(bots.map((bot) => present(bot, connectors)))
      last = bots.length < maxPageBots ? undefined : bots.at(-1)
    } while (last !== undefined)
  }

  api.get(
    '/api/bots',
    route('user', 'List the bots', [], { response: { 200: BotList } }),
    async (request) => {
      const user = requireUser(request)
      await listConnectors(user)
      return readInPages(presentPages(user))
    },
  )

  api.post(
    '/api/bot',
    route('user', 'Create a bot', ['not_found', 'conflict', 'name_taken'], {
      body: BotInput,
      response: { 201: Bot },
    }),
    async (request, reply) => {
      const user = requireUser(request)
      const connectors = await listConnectors(user)
      const values = toBotValues(request.body, connectors)
      const bot = await addBot(database, { sealer, config }, user, values, now())
      onChanged(user.id)
      return reply.status(201).send(await present(bot, connectors))
    },
  )

  api.put(
    '/api/bot/:name',
    route('owner', 'Change a bot', ['name_taken'], {
      params: NamedBot,
      body: BotInput,
      response: { 200: Bot },
    }),
    async (request) => {
      const user = requireUser(request)
      const { name } = request.params
      const connectors = await listConnectors(user)
      const values = toBotValues(request.body, connectors)
      const bot = await changeBot(database, { sealer, config }, user, name, values)
      onChanged(user.id)
      if (bot.name !== name) onRenamed(user.id)
      return present(bot, connectors)
    },
  )

  api.delete(
    '/api/bot/:name',
    route('owner', 'Delete a bot', [], { params: NamedBot, response: { 204: z.null() } }),
    async (request, reply) => {
      const user = requireUser(request)
      await deleteBot(database.db, user, request.params.name)
      onChanged(user.id)
      onRenamed(user.id)
      return reply.status(204).send(null)
    },
  )
}

import type { BotInput } from '@yonder/contract/bot'
import type { Actor } from '../access/access.ts'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../db/database.ts'
import { type Credential, openJson } from '../db/secrets/credential.ts'
import { botKeyContext } from '../db/secrets/seal-contexts.ts'
import type { BotRow } from '../db/tables/tables.ts'
import { listUserIds, lockUser } from '../identity/users/user-store.ts'
import { applyBotInput, emptyBot, type BotSecretDeps, type NamedConnector } from './bot-fields.ts'
import { deleteBot, listBots, updateBot, type BotChange } from './bot-store.ts'
import { listDefaultBots, toDefaultValues } from './default-bots.ts'
import { createBot } from './save-bot.ts'

/**
 * What a default bot is for a user: `current`, `outdated` in an unchanged copy, `changed` by the user or made by the
 * user under this name, `missing`, or `withdrawn`: an unchanged copy of what is no longer a default bot.
 */
export type DefaultBotState = 'current' | 'outdated' | 'changed' | 'missing' | 'withdrawn'

/** How many users have each state of a default bot, and for how many it was replaced, added or removed. */
export interface DefaultBotReport {
  readonly name: string
  /** Null when it is withdrawn. */
  readonly model: string | null
  readonly users: Readonly<Record<DefaultBotState, number>>
  readonly done: number
}

export interface UpdateDefaultBotsDeps extends BotSecretDeps {
  readonly config: Pick<Config, 'defaultBots' | 'defaultModel'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly database: Pick<Database, 'db' | 'dialect'>
  readonly listConnectors: (trx: Db, user: Actor) => Promise<readonly NamedConnector[]>
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Compares the bots of all users with the default bots, and brings those with a state in `states` to what a new user
 * gets. Each user's bots are changed in one transaction.
 */
export async function updateDefaultBots(
  deps: UpdateDefaultBotsDeps,
  states: ReadonlySet<DefaultBotState>,
): Promise<readonly DefaultBotReport[]> {
  const { database, onProgress } = deps
  const defaults = listDefaultBots(deps.config)
  const tally = new Tally(defaults)
  const userIds = await listUserIds(database.db)
  for (const [index, id] of userIds.entries()) {
    const user = { id }
    onProgress(index + 1, userIds.length)
    const found = await findStates(deps, database.db, defaults, user)
    if (!found.some((one) => needsChange(one, states))) {
      tally.add(found, new Set())
      continue
    }
    const changed = await database.db.transaction().execute(async (trx) => {
      await lockUser(trx, user)
      // The user may have changed a bot since.
      const locked = await findStates(deps, trx, defaults, user)
      for (const one of locked) if (needsChange(one, states)) await bringUpToDate(deps, trx, user, one)
      return locked
    })
    tally.add(changed, states)
    const notification = { topic: 'settings', nodeId: 'yonder', userId: id, subject: 'bots' } as const
    await database.dialect.notifyChange(database.db, notification)
  }
  return tally.reports
}

/** A default bot, or the copy of a former one, as a user has it. */
interface Found {
  readonly name: string
  readonly state: DefaultBotState
  /** Undefined when it is missing. */
  readonly row: BotRow | undefined
  /** What a new user gets; undefined when it is withdrawn. */
  readonly bot: BotInput | undefined
  readonly connectors: readonly NamedConnector[]
}

/** Also true for a bot that is as a new user gets it and only lacks the mark, as those of earlier versions do. */
function needsChange({ state, row }: Found, states: ReadonlySet<DefaultBotState>): boolean {
  return states.has(state) || (states.size > 0 && state === 'current' && row?.is_default === 0)
}

async function findStates(
  deps: UpdateDefaultBotsDeps,
  db: Db,
  defaults: readonly BotInput[],
  user: Actor,
): Promise<readonly Found[]> {
  const rows = await listBots(db, user)
  const connectors = defaults.some((bot) => bot.connectors) ? await deps.listConnectors(db, user) : []
  const found = defaults.map((bot): Found => {
    const row = rows.find(({ name }) => name === bot.name)
    const state =
      row === undefined
        ? 'missing'
        : isSame(deps, row, toChange(deps, row, bot, connectors))
          ? 'current'
          : row.is_default === 1
            ? 'outdated'
            : 'changed'
    return { name: bot.name, state, row, bot, connectors }
  })
  const withdrawn = rows.filter(
    ({ name, is_default }) => is_default === 1 && !defaults.some((bot) => bot.name === name),
  )
  return [
    ...found,
    ...withdrawn.map((row): Found => ({
      name: row.name,
      state: 'withdrawn',
      row,
      bot: undefined,
      connectors,
    })),
  ]
}

function toChange(
  deps: BotSecretDeps,
  { id, user_id }: BotRow,
  bot: BotInput,
  connectors: readonly NamedConnector[],
): BotChange {
  return applyBotInput(deps, { ...emptyBot, id, user_id }, toDefaultValues(bot, connectors))
}

/** Whether a bot has these fields already. A key is sealed differently each time, so the keys themselves are compared. */
function isSame({ sealer }: BotSecretDeps, row: BotRow, change: BotChange): boolean {
  const read = (sealed: string | null): string => {
    const credential = openJson(sealer, botKeyContext(row), sealed) as Credential | undefined
    return credential === undefined ? String(sealed) : JSON.stringify([credential.secret, credential.address])
  }
  return (Object.keys(change) as (keyof BotChange)[]).every((field) =>
    field === 'api_key' ? read(row.api_key) === read(change.api_key) : row[field] === change[field],
  )
}

async function bringUpToDate(
  deps: UpdateDefaultBotsDeps,
  trx: Db,
  user: Actor,
  { name, row, bot, connectors }: Found,
): Promise<void> {
  if (bot === undefined) return deleteBot(trx, user, name)
  if (row === undefined) {
    await createBot(trx, deps, user, toDefaultValues(bot, connectors), deps.now(), true)
    return
  }
  await updateBot(trx, user, row.id, { ...toChange(deps, row, bot, connectors), is_default: 1 })
}

/** Counts states by the name of the bot. */
class Tally {
  readonly #reports = new Map<
    string,
    { name: string; model: string | null; users: Record<DefaultBotState, number>; done: number }
  >()

  constructor(defaults: readonly BotInput[]) {
    for (const { name, model } of defaults) this.#of(name, model)
  }

  get reports(): readonly DefaultBotReport[] {
    return [...this.#reports.values()]
  }

  add(found: readonly Found[], done: ReadonlySet<DefaultBotState>): void {
    for (const { name, state } of found) {
      const report = this.#of(name, null)
      report.users[state] += 1
      if (done.has(state)) report.done += 1
    }
  }

  #of(name: string, model: string | null) {
    const users = { current: 0, outdated: 0, changed: 0, missing: 0, withdrawn: 0 }
    const report = this.#reports.get(name) ?? { name, model, users, done: 0 }
    this.#reports.set(name, report)
    return report
  }
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BotRow } from '../db/tables/tables.ts'
import { engines, openTestDatabase, type TestDatabase } from '../testing/database/test-database.ts'
import { botRow } from '../testing/factories/bots.ts'
import { addUser } from '../testing/factories/users.ts'
import { deleteBot, findBot, insertBot, listBots, requireBot, updateBot } from './bot-store.ts'

const ada = { id: 'ada' }
const bob = { id: 'bob' }

const row = (fields: Partial<BotRow> = {}) =>
  botRow({ max_tokens: 10_000_000, created_at: 1_800_000_000_000, ...fields })

describe.each(engines)('bot store on %s', (engine) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openTestDatabase(engine)
    for (const user of [ada, bob]) await addUser(database.db, user)
  })

  afterEach(() => database.close())

  it('returns the stored fields, numbers as numbers', async () => {
    await insertBot(database.db, row())
    expect(await requireBot(database.db, ada, 'Helper')).toEqual(row())
  })

  it('finds a bot only by its owner and exact name', async () => {
    await insertBot(database.db, row())
    expect(await findBot(database.db, bob, 'Helper')).toBeUndefined()
    expect(await findBot(database.db, ada, 'helper')).toBeUndefined()
    await expect(requireBot(database.db, bob, 'Helper')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('neither changes nor deletes a bot of another owner', async () => {
    await insertBot(database.db, row())
    const { id, user_id: _, created_at: __, ...change } = row({ model: 'changed' })
    await updateBot(database.db, bob, id, change)
    await expect(deleteBot(database.db, bob, 'Helper')).rejects.toMatchObject({ code: 'not_found' })
    expect(await listBots(database.db, ada)).toEqual([row()])
  })

  it('is deleted with its owner', async () => {
    await insertBot(database.db, row())
    await database.db.deleteFrom('users').where('id', '=', ada.id).execute()
    expect(await listBots(database.db, ada)).toEqual([])
  })
})

import { type ChatSection, chatSections } from '@yonder/contract/chat-list'
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
} from 'kysely'
import { expect, it } from 'vitest'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { openTestDatabase } from '../../testing/database/test-database.ts'
import { listMarkedIds, listSection, listSectionTitles } from './chat-list-store.ts'

/** Returns the statement of a query, without executing it. */
async function compile(query: (db: Db) => Promise<unknown>): Promise<CompiledQuery> {
  const compiled: CompiledQuery[] = []
  await query(
    new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
      log: ({ query: statement }) => {
        compiled.push(statement)
      },
    }),
  )
  const [statement] = compiled
  if (statement === undefined) throw new Error('nothing was executed')
  return statement
}

it('finds a page of each section by an index in its order, and marks without reading all chats', async () => {
  const { db, close } = await openTestDatabase('sqlite')
  const explain = async (query: (db: Db) => Promise<unknown>) => {
    const statement = await compile(query)
    const { rows } = await db.executeQuery<{ detail: string }>({
      ...statement,
      sql: `explain query plan ${statement.sql}`,
    })
    return rows.map(({ detail }) => detail)
  }
  const indexes: Readonly<Record<ChatSection, string>> = {
    recent: 'chats_recent (user_id=? AND (updated_at,id)<(?,?))',
    pinned: 'chats_pinned (user_id=? AND (updated_at,id)<(?,?))',
    project: 'chats_of_project (project_id=? AND (updated_at,id)<(?,?))',
    archived: 'chats_archived (user_id=? AND (updated_at,id)<(?,?))',
    deleted: 'chats_deleted (user_id=? AND deleted_at>? AND (deleted_at,id)<(?,?))',
    all: 'chats_by_time (user_id=? AND (updated_at,id)<(?,?))',
    unread: 'chats_unread (user_id=? AND (updated_at,id)<(?,?))',
    waiting: 'chats_by_time (user_id=? AND (updated_at,id)<(?,?))',
  }
  const actor = { id: 'ada' }
  for (const section of chatSections) {
    const slice = { section, project: 'p', after: { time: 1, id: 'x' }, limit: 50 }
    for (const list of [listSection, listSectionTitles]) {
      const plan = await explain((each) => list(each, actor, slice))
      expect(plan[0]).toBe(`SEARCH c USING INDEX ${indexes[section]}`)
      expect(plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([])
    }
  }
  const plan = await explain((each) => listMarkedIds(each, actor, 50))
  expect(plan.filter((step) => /(SCAN|SEARCH) (chats|runs|leaf)/.test(step))).toEqual([
    'SEARCH chats USING INDEX chats_unread (user_id=?)',
    'SCAN runs USING INDEX runs_active',
    'SEARCH chats USING INDEX sqlite_autoindex_chats_1 (id=?)',
    'SCAN leaf USING INDEX messages_waiting_since',
    'SEARCH chats USING INDEX sqlite_autoindex_chats_1 (id=?)',
  ])
  await close()
})

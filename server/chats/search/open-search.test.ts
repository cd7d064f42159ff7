import { foldText } from '@yonder/contract/lib/fold-text'
import { continueText } from '@yonder/contract/message-text'
import { sameWords } from '@yonder/contract/testing/same-words'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foldAgain } from '../../db/migrations/0005-folded-again.ts'
import type { User } from '../../identity/user.ts'
import { newId } from '../../lib/new-id.ts'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { botRow } from '../../testing/factories/bots.ts'
import { addChat, addPath } from '../../testing/factories/chats.ts'
import { addUser } from '../../testing/factories/users.ts'
import { indexMessages } from './index-messages.ts'
import { openSearch, type Search } from './open-search.ts'
import { fillSearchTexts } from './postgres-search-store.ts'

describe.each(engines)('search on %s', (engine) => {
  let database: TestDatabase
  let search: Search
  let time = 1_000
  beforeAll(async () => {
    database = await openTestDatabase(engine)
    search = openSearch(database, (error) => {
      throw error
    })
  })
  afterAll(async () => {
    await search.close()
    await database.close()
  })

  const newUser = () => addUser(database.db)

  /** Adds a chat with these texts, written by the user and the bot in turn. */
  async function addTexts(user: User, texts: readonly string[], last: object = {}): Promise<string> {
    time += 10
    const chat = await addChat(database.db, { id: newId(), user_id: user.id, updated_at: time })
    await addPath(
      database.db,
      chat,
      texts.map((content, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content,
        ...(index === texts.length - 1 ? last : {}),
      })),
    )
    return chat.id
  }

  async function index(): Promise<void> {
    const { db } = database
    while (await (engine === 'sqlite' ? indexMessages(db) : fillSearchTexts(db)));
  }

  const find = async (user: User, words: string, page = 1, limit = 10) => {
    const found = await search.searchChats(user, { search: words, page, limit })
    return { ids: found.chats.map((chat) => chat.id), total: found.total }
  }

  it('finds parts of words in any script, case-insensitively, newest first', async () => {
    const user = await newUser()
    const texts = ['Größenordnung', 'ΣΊΣΥΦΟΣ rolls', 'приВЕТ мир', '今天天气很好', 'naïve café', '👩‍👩‍👧 family']
    const ids: string[] = []
    for (const text of texts) ids.push(await addTexts(user, ['hello', text]))
    for (const words of [
      ['größen', 0],
      ['ORDNUNG', 0],
      ['σίσυ', 1],
      ['ПРИвет', 2],
      ['天气', 3],
      ['好', 3],
      ['天', 3],
      ['ÏVE', 4],
      ['fé', 4],
      ['👧', 5],
    ] as const) {
      const expected = { ids: [ids[words[1]]], total: 1 }
      expect(await find(user, words[0]), `${words[0]}, not indexed yet`).toEqual(expected)
    }
    await index()
    for (const word of ['größen', 'ORDNUNG', 'σίσυ', 'ПРИвет', '天气', '好', '天', 'ÏVE', 'fé', '👧']) {
      expect((await find(user, word)).total, word).toBe(1)
    }
    expect(await find(user, 'ELL')).toEqual({ ids: [...ids].reverse(), total: 6 })
    expect(await find(user, 'el', 2, 4)).toEqual({ ids: [...ids].reverse().slice(4), total: 6 })
  })

  it('finds a word in whichever Unicode form it was written and is searched', async () => {
    const user = await newUser()
    const ids: string[] = []
    for (const [one, other] of sameWords)
      ids.push(await addTexts(user, [`so ${one}, yes`, `ok`, `(${other}) too`]))
    const findAll = async () => {
      for (const [place, words] of sameWords.entries())
        for (const word of words) expect((await find(user, word, 1, 50)).ids, word).toContain(ids[place])
    }
    await findAll()
    await index()
    await findAll()
    const long = await addTexts(user, [`${'ß ﷺ ｶﾞ '.repeat(3000)} Wa\u0308sche`])
    await index()
    expect(await find(user, 'WÄSCHE')).toEqual({ ids: [long], total: 1 })
  })

  it('indexes again what an earlier version has folded otherwise', async () => {
    const { db, dialect } = database
    const user = await newUser()
    const old = await addTexts(user, ['the Cafe\u0301', 'ok'])
    await index()
    if (engine === 'postgres') {
      await sql`update search_texts set text = lower(m.content) from messages m
        where m.position = search_texts.position`.execute(db)
      expect(await find(user, 'café')).toEqual({ ids: [], total: 0 })
    }
    await foldAgain(db, dialect)
    const queued = await db
      .selectFrom('search_queue as q')
      .innerJoin('messages as m', 'm.position', 'q.position')
      .select('m.content')
      .where('m.chat_id', '=', old)
      .execute()
    expect(queued.map(({ content }) => content)).toContain('the Cafe\u0301')
    for (const state of ['queued', 'indexed']) {
      expect(await find(user, 'café'), state).toEqual({ ids: [old], total: 1 })
      await index()
    }
  })

  it('shows no denial of a call as the words of the user', async () => {
    const { db } = database
    const user = await newUser()
    for (const content of ['cancel', 'cancel it and wait']) {
      time += 10
      const chat = await addChat(db, { id: newId(), user_id: user.id, updated_at: time })
      await addPath(db, chat, [
        { role: 'user', content: 'walrus' },
        { role: 'assistant', content: 'I ask.', call_state: 'denied' },
        { role: 'user', content },
      ])
    }
    const { chats } = await search.searchChats(user, { search: 'walrus', page: 1, limit: 10 })
    expect(chats.map(({ messages }) => messages.at(-1)?.content)).toEqual(['cancel it and wait', 'I ask.'])
  })

  it('finds chats that contain every word, in any of their messages', async () => {
    const user = await newUser()
    const both = await addTexts(user, ['the lighthouse', 'a keeper', 'again', 'at night'])
    await addTexts(user, ['the lighthouse', 'alone'])
    await index()
    expect(await find(user, 'keeper lighthouse')).toEqual({ ids: [both], total: 1 })
    expect(await find(user, '  NIGHT   at light ')).toEqual({ ids: [both], total: 1 })
    expect(await find(user, 'keeper absent')).toEqual({ ids: [], total: 0 })
    await database.db
      .updateTable('chats')
      .set({ title: 'Für den Törn', title_key: foldText('Für den Törn'), title_source: 'user' })
      .where('id', '=', both)
      .execute()
    expect(await find(user, 'TÖRN keeper')).toEqual({ ids: [both], total: 1 })
    expect((await findPassages(user, 'törn keeper')).get(both)?.text).toBe('a keeper')
    expect((await findPassages(user, 'törn')).get(both)).toBeUndefined()
  })

  /** The passages of a search, by the id of the chat, as the test has to compare them. */
  const findPassages = async (user: User, words: string) => {
    const { chats } = await search.searchChats(user, { search: words, page: 1, limit: 10 })
    return new Map(chats.map(({ id, passage }) => [id, passage]))
  }

  it('shows the newest message with the most of the words, before and after it is indexed', async () => {
    const { db } = database
    const user = await newUser()
    const ada = botRow({ id: newId(), user_id: user.id, name: 'Ada' })
    await db.insertInto('bots').values(ada).execute()
    const filler = 'and so on '.repeat(40)
    time += 10
    const chat = await addChat(db, { id: newId(), user_id: user.id, updated_at: time })
    const path = await addPath(db, chat, [
      { role: 'user', content: 'A ferry to Iceland, please' },
      {
        role: 'assistant',
        content: `${filler}\n\n## Take the **Ferry** to [ICELAND](https://a.example)\n\n${filler}`,
        bot_id: ada.id,
        bot: 'Old name',
        model: 'm-1',
      },
      { role: 'user', content: 'Only iceland' },
      { role: 'assistant', content: 'ferry iceland', status: 'streaming' },
    ])
    const apart = await addTexts(user, ['the ferry', 'x', 'iceland', 'x'])
    for (const state of ['queued', 'indexed']) {
      const found = await findPassages(user, 'iceland FERRY')
      expect(found.get(chat.id), state).toEqual({
        message_id: path[1]?.id,
        role: 'assistant',
        bot: 'Ada',
        model: 'm-1',
        time: new Date(path[1]?.unix_timestamp ?? 0).toISOString(),
        text: expect.stringMatching(/^…(and|so|on) .* Take the Ferry to ICELAND and so on .*…$/),
        count: 2,
      })
      // No message has both.
      expect(found.get(apart), state).toMatchObject({ text: 'iceland', count: 2, role: 'user' })
      expect(found.get(apart), state).not.toHaveProperty('bot')
      await index()
    }
    expect((await findPassages(user, 'a.example')).get(chat.id)?.text).toContain('(https://a.example)')
    expect((await findPassages(user, '')).get(chat.id)).toBeUndefined()
  })

  it('cuts a passage around its words in any script and form, far inside a long text', async () => {
    const user = await newUser()
    const filler = '天気がいい👩‍👩‍👧 '.repeat(700)
    const passages = [
      ['ガイド', 'ｶﾞｲﾄﾞ'],
      ['strasse', 'Straße'],
      ['雪山', '雪山'],
      ['👧', '👩‍👩‍👧'],
      ['é', 'Cafe\u0301'],
      ['x', '>x<'],
    ] as const
    const ids: string[] = []
    for (const [, written] of passages)
      ids.push(
        await addTexts(user, [`${filler.replaceAll('👩‍👩‍👧', written === '👩‍👩‍👧' ? '' : '👩‍👩‍👧')}${written}${filler}`]),
      )
    for (const state of ['queued', 'indexed']) {
      for (const [at, [searched, written]] of passages.entries()) {
        const text = (await findPassages(user, searched)).get(ids[at] ?? '')?.text ?? ''
        expect(text, `${searched}, ${state}`).toContain(written)
        expect(text.isWellFormed(), searched).toBe(true)
        expect(text.length, searched).toBeLessThan(1_000)
      }
      await index()
    }
  })

  it('counts up to 100 passages, and shows no message that a chat does not draw', async () => {
    const { db } = database
    const user = await newUser()
    const many = await addTexts(
      user,
      Array.from({ length: 120 }, () => 'cancel it'),
    )
    time += 10
    const hidden = await addChat(db, { id: newId(), user_id: user.id, updated_at: time })
    await addPath(db, hidden, [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'May I?', call_state: 'denied' },
      { role: 'user', content: 'cancel' },
      { role: 'assistant', content: 'Never', finish: 'length' },
      { role: 'user', content: continueText },
      { role: 'assistant', content: 'mind' },
      { role: 'user', content: 'cancel' },
      { role: 'assistant', content: 'No' },
    ])
    await index()
    const found = await findPassages(user, 'cancel')
    expect([found.get(many)?.count, found.get(hidden.id)?.count]).toEqual([100, 1])
    expect((await findPassages(user, 'exactly where it ended')).get(hidden.id)).toBeUndefined()
    expect((await find(user, 'exactly where it ended')).ids).toEqual([hidden.id])
  })

  it('treats special characters as text', async () => {
    const user = await newUser()
    const odd = await addTexts(user, ['100% of a_b \\ "quoted" NEAR(x) * -- \'; drop'])
    await addTexts(user, ['1000 of axb quoted near x drop'])
    await index()
    for (const words of ['100%', 'a_b', '\\', '"quoted"', 'NEAR(', '*', '%', '_', "';", '--', '" dr']) {
      expect(await find(user, words), words).toEqual({ ids: [odd], total: 1 })
    }
  })

  it('excludes other users, unfinished replies and tool results', async () => {
    const user = await newUser()
    const other = await newUser()
    await addTexts(other, ['walrus'])
    await addTexts(user, ['hi', 'walrus'], { status: 'streaming' })
    await addTexts(user, ['hi', 'ok', 'walrus'], { server: 'sea' })
    await index()
    expect(await find(user, 'walrus')).toEqual({ ids: [], total: 0 })
    expect(await find(user, 'wa')).toEqual({ ids: [], total: 0 })
  })

  it('finds a word anywhere in a very long text', async () => {
    const user = await newUser()
    const filler = 'lorem ipsum dolor sit amet '
    const ids: string[] = []
    for (const at of [4_090, 4_032, 100_000]) {
      ids.push(await addTexts(user, [`${filler.repeat(8_000).slice(0, at)}needle${filler.repeat(50)}end`]))
    }
    const unspaced = '今天天气很好'.repeat(1_000)
    ids.push(await addTexts(user, [`${unspaced.slice(0, 3_996)}needle${unspaced}ω`]))
    await index()
    expect(await find(user, 'needle')).toEqual({ ids: ids.toReversed(), total: 4 })
    expect(await find(user, '好needle今天')).toEqual({ ids: ids.slice(-1), total: 1 })
    expect(await find(user, '好ω')).toEqual({ ids: ids.slice(-1), total: 1 })
  })

  it('finds words in any of many messages, and none across two of them', async () => {
    const user = await newUser()
    const words = new Map([
      [5, 'harbour'],
      [31, 'light'],
      [32, 'house'],
      [290, 'pilot'],
    ])
    const chat = await addTexts(
      user,
      Array.from({ length: 300 }, (_, index) => words.get(index) ?? 'text'),
    )
    // Makes these words more frequent than `pilot`, so that they are looked up in the texts of the chat.
    await addTexts(
      user,
      Array.from({ length: 70 }, () => 'texttext text,text'),
    )
    await index()
    for (const found of ['harbour pilot', 'pilot light house', 'text house harbour'])
      expect(await find(user, found), found).toEqual({ ids: [chat], total: 1 })
    for (const missing of ['pilot lighthouse', 'pilot texttext', 'pilot text,text', 'harbour absent'])
      expect(await find(user, missing), missing).toEqual({ ids: [], total: 0 })
  })

  it('counts up to 100 found chats and up to 1,000 of a list, and returns later pages too', async () => {
    const user = await newUser()
    const first = await addTexts(user, ['common word'])
    for (let index = 0; index < 1_004; index++) await addTexts(user, ['common'])
    await index()
    expect((await find(user, 'common')).total).toBe(100)
    expect((await find(user, 'comm', 101, 10)).ids.length).toBe(5)
    expect(await find(user, 'common word')).toEqual({ ids: [first], total: 1 })
    expect((await search.searchChats(user, { search: '', page: 1, limit: 10 })).total).toBe(1_000)
  }, 60_000)

  it('returns the same as a plain scan of all texts', async () => {
    const user = await newUser()
    const alphabet = fc.constantFrom('a', 'b', 'B', 'é', 'Ж', '天', ' ', '%')
    const text = fc.string({ unit: alphabet, minLength: 1, maxLength: 12 })
    const chats: Chat[] = []
    for (const texts of fc.sample(fc.array(text, { minLength: 1, maxLength: 4 }), { numRuns: 60, seed: 7 })) {
      chats.unshift({ id: await addTexts(user, texts), texts })
    }
    const compare = (numRuns: number): Promise<void> =>
      fc.assert(
        fc.asyncProperty(fc.string({ unit: alphabet, maxLength: 6 }), async (words) => {
          expect(await find(user, words, 1, 100)).toEqual(scan(chats, words, 1, 100))
        }),
        { numRuns },
      )
    await compare(20)
    await index()
    await compare(60)
  })

  it('returns the same as a plain scan for words of every frequency, on every page, without deleted chats', async () => {
    const user = await newUser()
    const all = await addManyChats(user)
    const isDeleted = (at: number): boolean => at % 4 === 1
    const deleted = all.filter((_, at) => isDeleted(at)).map(({ id }) => id)
    await database.db.updateTable('chats').set({ deleted_at: 1 }).where('id', 'in', deleted).execute()
    const chats = all.filter((_, at) => !isDeleted(at))
    // Before and after the indexing.
    expect(await find(user, 'centi early every')).toEqual(scan(chats, 'centi early every', 1, 10))
    await index()
    for (const words of [
      'every',
      'half',
      'third',
      'centi',
      'once',
      'absent',
      'early',
      'every half',
      'third twentieth every',
      'centi early every',
      'twentieth early',
      'every absent',
      'entitled',
      'plan third',
      'centi entitled early',
      'entitled plan once',
    ]) {
      for (const page of [1, 11, 101]) {
        expect(await find(user, words, page, 10), `${words}, page ${page}`).toEqual(
          scan(chats, words, page, 10),
        )
      }
    }
  }, 120_000)

  /** 1,100 chats of three messages, in which words have different frequencies. The oldest ones are updated last. */
  async function addManyChats(user: User): Promise<Chat[]> {
    const intervals = { every: 1, half: 2, third: 3, twentieth: 20, centi: 100, once: 900 }
    const chats = Array.from({ length: 1_100 }, (_, index) => {
      const words = Object.entries(intervals).filter(([, interval]) => index % interval === 0)
      const texts = ['intro', 'reply', 'outro']
      for (const [at, [word]] of words.entries()) texts[(index + at) % 3] += ` ${word}`
      if (index < 30) texts[0] += ' early'
      time += 10
      // Found by its words too.
      const title = index % 13 === 0 ? `entitled ${index % 39 === 0 ? 'centi' : 'plan'}` : null
      return { id: newId(), texts, title, updatedAt: index < 40 ? time + 100_000 : time }
    })
    await database.db
      .insertInto('chats')
      .values(
        chats.map(({ id, title, updatedAt }) => ({
          id,
          user_id: user.id,
          created_at: 1,
          updated_at: updatedAt,
          title: title ?? 'entitled by default',
          title_key: title ?? 'entitled by default',
          title_source: title === null ? null : ('user' as const),
        })),
      )
      .execute()
    const messages = chats.flatMap(({ id, texts }) =>
      texts.map((content, index) => ({
        chat_id: id,
        id: `m${index}`,
        role: index === 1 ? 'assistant' : 'user',
        content,
        status: 'complete',
        first_id: 'm0',
        unix_timestamp: index,
      })),
    )
    for (let at = 0; at < messages.length; at += 1_000) {
      await database.db
        .insertInto('messages')
        .values(messages.slice(at, at + 1_000))
        .execute()
    }
    time += 200_000
    return chats
      .toSorted((a, b) => b.updatedAt - a.updatedAt)
      .map(({ id, texts, title }) => ({ id, texts: title === null ? texts : [...texts, title] }))
  }
})

interface Chat {
  readonly id: string
  readonly texts: readonly string[]
}

/** The result of a search, computed without an index. The chats are in the order of the result. */
function scan(chats: readonly Chat[], search: string, page: number, limit: number): object {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const found = chats.filter(({ texts }) =>
    words.every((word) => texts.some((content) => content.toLowerCase().includes(word))),
  )
  const ids = found.slice((page - 1) * limit, page * limit).map(({ id }) => id)
  return { ids, total: Math.min(found.length, 100) }
}

import { Bot, BotList } from '@yonder/contract/bot'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCredential } from '../db/secrets/credential.ts'
import { botKeyContext } from '../db/secrets/seal-contexts.ts'
import { lockUser } from '../identity/users/user-store.ts'
import { countWaiting } from '../testing/database/count-waiting.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { openTestApp, type TestApp, type TestClient } from '../testing/test-app.ts'

const key = 'sk-test-0123456789-tail'
const mask = 'sk-t••••••••tail'

const options = {
  instructions: 'Reply in French.',
  temperature: 0.5,
  top_p: 0.9,
  reasoning_effort: 'low',
  context_window: 8_000,
  images: 'yes',
  pdf: 'no',
  title_model: 'namer',
  connectors: ['default'],
}
const noOptions = {
  instructions: null,
  temperature: null,
  top_p: null,
  reasoning_effort: null,
  context_window: null,
  images: null,
  pdf: null,
  title_model: null,
  connectors: null,
}

const address = (name: string) => `/api/bot/${encodeURIComponent(name)}`

describe.each(engines)('bots on %s', (engine) => {
  let test: TestApp
  let ada: TestClient

  beforeAll(async () => {
    test = await openTestApp({ engine })
  })

  beforeEach(async () => {
    await test.database.db.deleteFrom('bots').execute()
    ada = await test.signIn('Ada')
    await clear(ada)
  })

  afterAll(() => test.close())

  async function clear(client: TestClient): Promise<void> {
    for (const { name } of await list(client)) await client.delete(address(name))
  }

  async function list(client: TestClient): Promise<Bot[]> {
    const answer = await client.get('/api/bots')
    expect(answer.statusCode).toBe(200)
    return BotList.parse(answer.json())
  }

  it('are at most 200 of a user, and a further one is refused and not written', async () => {
    const { db } = test.database
    await ada.post('/api/bot', { name: 'first', model: 'demo' })
    const first = await db.selectFrom('bots').selectAll().executeTakeFirstOrThrow()
    const others = Array.from({ length: 199 }, (_, index) => ({
      ...first,
      id: `bot ${index}`,
      name: `${index}`,
    }))
    await db.insertInto('bots').values(others).execute()
    const before = await rows()
    const refused = await ada.post('/api/bot', { name: 'last', model: 'demo' })
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({
      error: { code: 'conflict', message: 'You have 200 bots. Delete one before you add another.' },
    })
    expect(await rows()).toEqual(before)
    const grace = await test.signIn('Grace')
    expect((await grace.post('/api/bot', { name: 'last', model: 'demo' })).statusCode).toBe(201)
    await ada.delete(address('first'))
    expect((await ada.post('/api/bot', { name: 'last', model: 'demo' })).statusCode).toBe(201)
  })

  it.runIf(engine === 'postgres' && isConcurrent(engine))(
    'are counted together with those that another request is adding',
    async () => {
      const { db } = test.database
      await ada.post('/api/bot', { name: 'first', model: 'demo' })
      const first = await db.selectFrom('bots').selectAll().executeTakeFirstOrThrow()
      const others = Array.from({ length: 199 }, (_, index) => ({
        ...first,
        id: `bot ${index}`,
        name: `${index}`,
      }))
      await db.insertInto('bots').values(others.slice(1)).execute()
      let added: ReturnType<TestClient['post']> | undefined
      await db.transaction().execute(async (trx) => {
        await lockUser(trx, ada.user)
        added = ada.post('/api/bot', { name: 'last', model: 'demo' })
        await expect.poll(() => countWaiting(trx)).toBe(1)
        await trx.insertInto('bots').values(others.slice(0, 1)).execute()
      })
      expect((await added)?.statusCode).toBe(409)
      expect((await list(ada)).map(({ name }) => name)).not.toContain('last')
    },
  )

  /** The rows as they stand, so that a refusal can show that nothing was written. */
  const rows = () => test.database.db.selectFrom('bots').selectAll().orderBy('id').execute()

  async function storedKey(name: string): Promise<string | null> {
    const row = await test.database.db
      .selectFrom('bots')
      .select(['id', 'user_id', 'api_key'])
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    return row.api_key === null
      ? null
      : openCredential(test.deps.sealer, botKeyContext(row), row.api_key).secret
  }

  it('returns an empty list when there is no bot (§7.2)', async () => {
    expect(await list(ada)).toEqual([])
  })

  it('creates a bot from name and model alone, and lists it (§3.1, §7.2, §7.3)', async () => {
    const answer = await ada.post('/api/bot', { name: '  Helper ', model: ' gpt-x ' })
    expect(answer.statusCode).toBe(201)
    const bot = {
      name: 'Helper',
      model: 'gpt-x',
      base_url: null,
      api_key: null,
      api_type: null,
      custom_api_path: null,
      max_tokens: null,
      ...noOptions,
    }
    expect(answer.json()).toEqual(bot)
    expect(await list(ada)).toEqual([bot])
  })

  it('stores every field of a bot, and returns the key masked (§3.1, §9.9)', async () => {
    const full = {
      name: 'Full',
      model: 'm',
      base_url: 'https://models.example.com/v1',
      api_key: key,
      api_type: 'anthropic',
      custom_api_path: '/messages',
      max_tokens: 4096,
      ...options,
    }
    const answer = await ada.post('/api/bot', full)
    expect(answer.json()).toEqual({ ...full, api_key: mask })
    expect(await list(ada)).toEqual([{ ...full, api_key: mask }])
    expect(await storedKey('Full')).toBe(key)
  })

  it('never reveals the key, neither in a response nor in the database', async () => {
    const created = await ada.post('/api/bot', { name: 'A', model: 'm', api_key: key })
    const changed = await ada.put(address('A'), { name: 'A', model: 'm2' })
    const listed = await ada.get('/api/bots')
    expect(created.body + changed.body + listed.body).not.toContain(key)
    expect(JSON.stringify(await rows())).not.toContain(key)
  })

  it('lists bots in the order of their creation', async () => {
    for (const name of ['C', 'A', 'B']) await ada.post('/api/bot', { name, model: 'm' })
    await ada.put(address('C'), { name: 'Z', model: 'm' })
    const names = (await list(ada)).map((bot) => bot.name)
    expect(names).toEqual(['Z', 'A', 'B'])
  })

  it('names the window that is known for the model of a bot, in every response', async () => {
    const known = { name: 'A', model: 'claude-sonnet-4-5', base_url: 'https://api.anthropic.com/v1' }
    const created = await ada.post('/api/bot', { ...known, context_window: 8_000 })
    const changed = await ada.put(address('A'), known)
    for (const response of [created, changed])
      expect(response.json()).toMatchObject({ context_window: 8_000, known_context_window: 200_000 })
    await ada.post('/api/bot', { name: 'B', model: 'unknown' })
    expect(await list(ada)).toMatchObject([{ known_context_window: 200_000 }, { name: 'B' }])
    expect((await list(ada))[1]).not.toHaveProperty('known_context_window')
  })

  it('updates a bot, and its name with it (§7.4)', async () => {
    await ada.post('/api/bot', { name: 'Old', model: 'm' })
    const answer = await ada.put(address('Old'), { name: 'New', model: 'm2', max_tokens: 7 })
    expect(answer.statusCode).toBe(200)
    expect(Bot.parse(answer.json())).toMatchObject({ name: 'New', model: 'm2', max_tokens: 7 })
    expect((await list(ada)).map((bot) => bot.name)).toEqual(['New'])
    expect((await ada.put(address('Old'), { name: 'Old', model: 'm' })).statusCode).toBe(404)
  })

  it('keeps fields that an update omits, and clears those that are null or empty', async () => {
    const full = {
      name: 'Full',
      model: 'm',
      base_url: 'https://models.example.com/v1',
      api_key: key,
      api_type: 'google',
      custom_api_path: '/x',
      max_tokens: 5,
      ...options,
    }
    await ada.post('/api/bot', full)
    const kept = await ada.put(address('Full'), { name: 'Full', model: 'm2' })
    expect(kept.json()).toEqual({ ...full, model: 'm2', api_key: mask })
    const cleared = await ada.put(address('Full'), {
      name: 'Full',
      model: 'm2',
      base_url: '',
      api_key: null,
      api_type: '',
      custom_api_path: '',
      max_tokens: null,
      ...noOptions,
      instructions: '',
      reasoning_effort: '',
      images: '',
    })
    expect(cleared.json()).toEqual({
      name: 'Full',
      model: 'm2',
      base_url: null,
      api_key: null,
      api_type: null,
      custom_api_path: null,
      max_tokens: null,
      ...noOptions,
    })
  })

  it('keeps the stored key when the mask is sent back', async () => {
    await ada.post('/api/bot', { name: 'A', model: 'm', api_key: key })
    await ada.put(address('A'), { name: 'A', model: 'm', api_key: mask })
    expect(await storedKey('A')).toBe(key)
  })

  it.each([
    ['absent', undefined],
    ['the mask', mask],
  ])('drops the key when the address changes and the key is %s', async (_, given) => {
    const bot = { name: 'A', model: 'm', base_url: 'https://one.example/v1', api_key: key }
    await ada.post('/api/bot', bot)
    const answer = await ada.put(address('A'), { ...bot, base_url: 'https://two.example/v1', api_key: given })
    expect(answer.json()).toMatchObject({ base_url: 'https://two.example/v1', api_key: null })
    expect(await storedKey('A')).toBeNull()
  })

  it('accepts a new key together with a new address', async () => {
    const bot = { name: 'A', model: 'm', base_url: 'https://one.example/v1', api_key: key }
    await ada.post('/api/bot', bot)
    await ada.put(address('A'), { ...bot, base_url: 'https://two.example/v1', api_key: 'another-key' })
    expect(await storedKey('A')).toBe('another-key')
  })

  it('deletes a bot, so that the list can be empty (§7.5)', async () => {
    await ada.post('/api/bot', { name: 'A', model: 'm' })
    const answer = await ada.delete(address('A'))
    expect(answer.statusCode).toBe(204)
    expect(answer.body).toBe('')
    expect(await list(ada)).toEqual([])
  })

  it('refuses a taken name and writes nothing', async () => {
    await ada.post('/api/bot', { name: 'A', model: 'm' })
    await ada.post('/api/bot', { name: 'B', model: 'm' })
    const before = await rows()
    const created = await ada.post('/api/bot', { name: ' A ', model: 'other' })
    const renamed = await ada.put(address('B'), { name: 'A', model: 'other' })
    for (const answer of [created, renamed]) {
      expect(answer.statusCode).toBe(409)
      expect(answer.json()).toMatchObject({
        error: { code: 'name_taken', message: expect.stringContaining('"A"') },
      })
    }
    expect(await rows()).toEqual(before)
  })

  it('lets only one of two concurrent requests use a name', async () => {
    const answers = await Promise.all(
      ['m1', 'm2', 'm3'].map((model) => ada.post('/api/bot', { name: 'A', model })),
    )
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([201, 409, 409])
    expect(await list(ada)).toHaveLength(1)
  })

  it('lets two users use the same name', async () => {
    const bob = await test.signIn('Bob')
    expect((await ada.post('/api/bot', { name: 'A', model: 'm' })).statusCode).toBe(201)
    expect((await bob.post('/api/bot', { name: 'A', model: 'b' })).statusCode).toBe(201)
    expect(await list(ada)).toMatchObject([{ name: 'A', model: 'm' }])
  })

  it("returns 404 for another user's bot, and writes nothing", async () => {
    const bob = await test.signIn('Bob')
    await bob.post('/api/bot', { name: "Bob's", model: 'm', api_key: key })
    const before = await rows()
    const changed = await ada.put(address("Bob's"), {
      name: 'Mine',
      model: 'm',
      base_url: 'https://evil.example',
    })
    const deleted = await ada.delete(address("Bob's"))
    for (const answer of [changed, deleted]) {
      expect(answer.statusCode).toBe(404)
      expect(answer.json()).toMatchObject({ error: { code: 'not_found' } })
    }
    expect(await rows()).toEqual(before)
    expect((await list(ada)).map((bot) => bot.name)).not.toContain("Bob's")
  })

  it.each([
    'a/b',
    'a//b/../c',
    '100%',
    '%2F',
    '%252f',
    'a?b#c&d=e+f;g',
    'Ünïcode 名前 🚀',
    'مساعد',
    '"quotes" \'and\' <tags>',
    'a\\b',
    '...',
    'new\nline',
    'x'.repeat(200),
    '名'.repeat(200),
    '🚀'.repeat(100),
  ])('finds the bot %j by its address', async (name) => {
    expect((await ada.post('/api/bot', { name, model: 'm' })).statusCode).toBe(201)
    const changed = await ada.put(address(name), { name, model: 'm2' })
    expect(changed.statusCode).toBe(200)
    expect(await list(ada)).toMatchObject([{ name, model: 'm2' }])
    expect((await ada.delete(address(name))).statusCode).toBe(204)
    expect(await list(ada)).toEqual([])
  })

  it('returns 404 for an address with NUL, and 400 for one that is not UTF-8', async () => {
    expect((await ada.delete('/api/bot/%00')).statusCode).toBe(404)
    expect((await ada.delete('/api/bot/%ff')).statusCode).toBe(400)
  })

  const valid = { name: 'A', model: 'm' }
  it.each<[string, unknown, string]>([
    ['nothing', undefined, ''],
    ['null', null, ''],
    ['a list', [valid], ''],
    ['a text', 'A', ''],
    ['no name', { model: 'm' }, 'name: '],
    ['a blank name', { name: ' \t ', model: 'm' }, 'name: Please fill in all required fields'],
    ['no model', { name: 'A' }, 'model: '],
    ['an empty model', { name: 'A', model: '' }, 'model: Please fill in all required fields'],
    ['a number as name', { name: 1, model: 'm' }, 'name: '],
    ['a long name', { name: 'x'.repeat(201), model: 'm' }, 'name: '],
    ['a name that an address cannot hold', { name: '..', model: 'm' }, 'name: '],
    ['text as max_tokens', { ...valid, max_tokens: '12' }, 'max_tokens: '],
    ['a broken number', { ...valid, max_tokens: 1.5 }, 'max_tokens: '],
    ['zero tokens', { ...valid, max_tokens: 0 }, 'max_tokens: '],
    ['an unknown api_type', { ...valid, api_type: 'telex' }, 'api_type: '],
    ['another scheme', { ...valid, base_url: 'file:///etc/passwd' }, 'base_url: '],
    ['no scheme', { ...valid, base_url: 'localhost:11434' }, 'base_url: '],
    ['a password in the address', { ...valid, base_url: 'https://me:secret@example.com' }, 'base_url: '],
    ['a key with a line break', { ...valid, api_key: 'key\r\nX-Other: y' }, 'api_key: '],
    ["another key's mask", { ...valid, api_key: 'abcd••••••••wxyz' }, 'api_key: '],
  ])('refuses %s by the name of the field, and writes nothing', async (_, body, reason) => {
    await ada.post('/api/bot', { ...valid, name: 'Kept' })
    const before = await rows()
    const created = await ada.post('/api/bot', body)
    const changed = await ada.put(address('Kept'), body)
    for (const answer of [created, changed]) {
      expect(answer.statusCode).toBe(400)
      const { error } = answer.json<{ error: { code: string; message: string } }>()
      expect(error.code).toBe('invalid_request')
      expect(error.message).toContain(reason)
    }
    expect(await rows()).toEqual(before)
  })

  it('requires a session for every call, and writes nothing without one (§6.1)', async () => {
    const before = await rows()
    const headers = { host: 'localhost:3000' }
    const calls = [
      { method: 'GET', url: '/api/bots' },
      { method: 'POST', url: '/api/bot', payload: valid },
      { method: 'PUT', url: '/api/bot/A', payload: valid },
      { method: 'DELETE', url: '/api/bot/A' },
    ] as const
    for (const call of calls) {
      const answer = await test.app.inject({ ...call, headers })
      expect(answer.statusCode).toBe(401)
    }
    expect(await rows()).toEqual(before)
  })

  it('still lists a bot whose key was sealed with another secret', async () => {
    await ada.post('/api/bot', { name: 'A', model: 'm', api_key: key })
    await test.database.db.updateTable('bots').set({ api_key: 'v1.AAAA' }).execute()
    expect(await list(ada)).toMatchObject([{ name: 'A', api_key: '••••••••' }])
  })
})

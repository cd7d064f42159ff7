import type { Bot } from '@yonder/contract/bot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../testing/database/test-database.ts'
import { openTestApp, type TestApp, type TestClient } from '../testing/test-app.ts'

const bot = { name: 'A', model: 'm' }

describe.each(engines)('instructions and options of a bot, on %s', (engine) => {
  let test: TestApp
  let ada: TestClient

  beforeAll(async () => {
    test = await openTestApp({ engine })
    ada = await test.signIn('Ada')
    await test.database.db.deleteFrom('bots').execute()
    await ada.post('/api/bot', bot)
  })
  afterAll(() => test.close())

  const rows = () => test.database.db.selectFrom('bots').selectAll().orderBy('id').execute()

  it.each<[string, object, string]>([
    [
      '50,001 characters of instructions',
      { instructions: 'x'.repeat(50_001) },
      'instructions: must have at most 50,000 characters',
    ],
    [
      'almost 1 MB of instructions',
      { instructions: 'x'.repeat(1_000_000) },
      'instructions: must have at most 50,000 characters',
    ],
    ['a high temperature', { temperature: 2.1 }, 'temperature: must be a number from 0 to 2'],
    ['a negative temperature', { temperature: -0.1 }, 'temperature: must be a number from 0 to 2'],
    ['text as temperature', { temperature: '1' }, 'temperature: must be a number from 0 to 2'],
    ['a high top-p', { top_p: 1.01 }, 'top_p: must be a number from 0 to 1'],
    [
      'an unknown effort',
      { reasoning_effort: 'extreme' },
      'reasoning_effort: must be one of minimal, low, medium, high',
    ],
    [
      'a small window',
      { context_window: 999 },
      'context_window: must be a whole number from 1,000 to 100,000,000',
    ],
    [
      'a broken window',
      { context_window: 1000.5 },
      'context_window: must be a whole number from 1,000 to 100,000,000',
    ],
    ['pictures as a boolean', { images: true }, 'images: must be yes or no'],
    ['an unknown way of giving PDFs', { pdf: 'text' }, 'pdf: must be yes or no'],
    ['no tokens', { max_tokens: 0 }, 'max_tokens: must be a whole number from 1 to 10,000,000'],
  ])('refuses %s by field and limit, and writes nothing', async (_, options, message) => {
    const before = await rows()
    const created = await ada.post('/api/bot', { ...bot, name: 'B', ...options })
    const changed = await ada.put('/api/bot/A', { ...bot, ...options })
    for (const answer of [created, changed]) {
      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toEqual({ error: { code: 'invalid_request', message } })
    }
    expect(await rows()).toEqual(before)
  })

  it('refuses a body with more than 1 MiB of instructions, and writes nothing', async () => {
    const before = await rows()
    const changed = await ada.put('/api/bot/A', { ...bot, instructions: 'x'.repeat(1_100_000) })
    expect(changed.statusCode).toBe(413)
    expect(await rows()).toEqual(before)
  })

  it('stores the longest instructions, and replaces NUL and lone surrogates in them', async () => {
    const longest = 'x'.repeat(49_996)
    const answer = await ada.put('/api/bot/A', { ...bot, instructions: `a\0\ud800b${longest}` })
    expect(answer.statusCode).toBe(200)
    expect(answer.json<Bot>().instructions).toBe(`a\ufffd\ufffdb${longest}`)
  })
})

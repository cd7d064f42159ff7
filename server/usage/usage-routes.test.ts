import type { MessageUsage, UsageReport } from '@yonder/contract/usage/usage-report'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UsageRecordRow } from '../db/tables/tables.ts'
import { botName, openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines } from '../testing/database/test-database.ts'
import { usageRecord } from '../testing/factories/usage.ts'

const prices = [
  { model: 'scripted', input: 3, cached_input: 0.3, output: 15 },
  { model: 'euro', currency: 'EUR', input: 0.1, output: 0.2 },
]
const usage = (prompt: number, completion: number) => ({
  usage: { prompt_tokens: prompt, completion_tokens: completion },
})
const today = 'from=2026-01-01&to=2026-12-31&time_zone=UTC'

describe.each(engines)('usage on %s', (engine) => {
  let product: ChatApp
  let users = 0
  /** The time of the next call. */
  let clock = Date.UTC(2026, 10, 24, 12)
  beforeAll(async () => {
    product = await openChatApp({
      engine,
      environment: { MODEL_PRICES: JSON.stringify(prices) },
      deps: { now: () => clock },
    })
  })
  afterAll(() => product.close())

  const join = async (): Promise<ChatClient> => product.join(`User ${(users += 1)}`)
  const reply = async (
    client: ChatClient,
    steps: Parameters<ChatApp['model']['reply']>[0],
    bot = botName,
  ) => {
    product.model.reply(steps)
    const chatId = await client.newChat()
    const stream = await client.send(chatId, 'Hello', { botName: bot })
    await stream.ended
    return { chatId, messageId: stream.run.messages[1]?.id ?? '', status: stream.run.status }
  }
  const readReport = async (client: ChatClient, query = today) =>
    (await client.get(`/api/usage?${query}`)).json<UsageReport>()
  const readCalls = async (client: ChatClient, chatId: string, ...messageIds: string[]) =>
    (await client.get(`/api/chats/${chatId}/usage?messageIds=${messageIds.join(',')}`)).json<MessageUsage>()
  const store = (client: ChatClient, record: Partial<UsageRecordRow>) =>
    product.database.db
      .insertInto('usage_records')
      .values(usageRecord({ user_id: client.user.id, time: clock, ...record }))
      .execute()

  it('is stored with the reply, at the price of the time', async () => {
    const ada = await join()
    const { chatId, messageId } = await reply(ada, ['Hi', usage(1_000, 100)])
    const { calls, total } = await readCalls(ada, chatId, messageId)
    expect(calls).toEqual([
      {
        message_id: messageId,
        kind: 'reply',
        bot: botName,
        model: 'scripted',
        provider: null,
        time: new Date(clock).toISOString(),
        input_tokens: 1_000,
        output_tokens: 100,
        cached_tokens: null,
        reasoning_tokens: null,
        cost: { currency: 'USD', amount: '0.0045' },
        duration_ms: expect.any(Number) as number,
        first_text_ms: expect.any(Number) as number,
      },
    ])
    expect(total).toMatchObject({ calls: 1, costs: [{ currency: 'USD', amount: '0.0045' }] })
    expect(await readReport(ada)).toMatchObject({
      days: [{ day: '2026-11-24', calls: 1, input_tokens: 1_000 }],
      months: [{ month: '2026-11', output_tokens: 100 }],
      bots: [{ bot: botName, costs: [{ currency: 'USD', amount: '0.0045' }] }],
    })
  })

  it('is in the same commit as the event that shows it', async () => {
    const ada = await join()
    const gate = product.model.gate()
    product.model.reply(['Hi', usage(10, 1), { finish: 'stop' }, gate])
    const stream = await ada.send(await ada.newChat(), 'Hello')
    await stream.until(({ raw }) => raw.includes('"type":"usage"') || raw.includes('Hi'))
    gate.open()
    await stream.until(({ raw }) => raw.includes('"type":"usage"'))
    expect((await readReport(ada)).total.calls).toBe(1)
    await stream.ended
  })

  it('counts a reply without figures as unknown, and never as 0', async () => {
    const ada = await join()
    const { chatId, messageId } = await reply(ada, ['Hi'])
    expect(await readCalls(ada, chatId, messageId)).toMatchObject({
      calls: [{ input_tokens: null, output_tokens: null, cost: null }],
      total: { calls: 1, uncounted_calls: 1, unpriced_calls: 1, costs: [] },
    })
  })

  it.each([
    ['negative', usage(-5, 1)],
    ['fractional', usage(1.5, 1)],
    ['of 10^15', usage(10 ** 15, 1)],
    ['text', { raw: 'data: {"choices":[],"usage":{"prompt_tokens":"9","completion_tokens":1}}\n\n' }],
    ['no object', { raw: 'data: {"choices":[],"usage":[7]}\n\n' }],
  ] as const)('takes counts that are %s as unknown', async (_name, step) => {
    const ada = await join()
    const { chatId, messageId, status } = await reply(ada, ['Hi', step])
    expect(status).toBe('complete')
    expect(await readCalls(ada, chatId, messageId)).toMatchObject({
      calls: [{ input_tokens: null, cost: null }],
      total: { input_tokens: 0, uncounted_calls: 1, unpriced_calls: 1 },
    })
    const [, shown] = (await ada.readChat(chatId)).messages
    expect(shown?.usage?.input_tokens ?? null).toBeNull()
  })

  it('counts a stopped and a failed reply, and none that never had output', async () => {
    const ada = await join()
    const gate = product.model.gate()
    product.model.reply(['Hi', gate])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Hello')
    await stream.until(({ text }) => text === 'Hi')
    await ada.post('/api/chat/stop', { chatId })
    await stream.ended
    gate.open()
    expect((await readReport(ada)).total).toMatchObject({ calls: 1, uncounted_calls: 1 })
    const cut = product.model.gate()
    product.model.reply(['Half', cut, { cut: true }])
    const failing = await ada.send(await ada.newChat(), 'Hello')
    await failing.until(({ text }) => text === 'Half')
    cut.open()
    await failing.ended
    expect(failing.run.status).toBe('failed')
    expect((await readReport(ada)).total).toMatchObject({ calls: 2, uncounted_calls: 2 })
    const { status, chatId: refused, messageId } = await reply(ada, [{ status: 401 }])
    expect(status).toBe('failed')
    expect((await readReport(ada)).total.calls).toBe(2)
    const response = await ada.get(`/api/chats/${refused}/usage?messageIds=${messageId}`)
    expect(response.statusCode).toBe(404)
  })

  it('outlives the bot and its chat, and a new bot of the same name adds to it', async () => {
    const ada = await join()
    const { chatId, messageId } = await reply(ada, ['Hi', usage(10, 1)])
    await ada.delete(`/api/bot/${botName}`)
    await product.database.db.deleteFrom('chats').where('id', '=', chatId).execute()
    expect((await ada.get(`/api/chats/${chatId}/usage?messageIds=${messageId}`)).statusCode).toBe(404)
    await ada.post('/api/bot', { name: botName, model: 'euro' })
    await reply(ada, ['Hi', usage(10, 1)])
    const { bots } = await readReport(ada)
    expect(bots).toMatchObject([
      {
        bot: botName,
        calls: 2,
        input_tokens: 20,
        costs: [
          { currency: 'EUR', amount: '0.0000012' },
          { currency: 'USD', amount: '0.000045' },
        ],
      },
    ])
  })

  it('is read for up to 400 days, the first and the last included', async () => {
    const ada = await join()
    await store(ada, { time: Date.UTC(2026, 0, 1) })
    await store(ada, { time: Date.UTC(2027, 1, 4, 23, 59) })
    const { days } = await readReport(ada, 'from=2026-01-01&to=2027-02-04&time_zone=UTC')
    expect(days.map(({ day }) => day)).toEqual(['2026-01-01', '2027-02-04'])
  })

  it('belongs to its user only', async () => {
    const [ada, eve] = [await join(), await join()]
    const { chatId, messageId } = await reply(ada, ['Hi', usage(10, 1)])
    expect((await readReport(eve)).total.calls).toBe(0)
    expect((await eve.get(`/api/chats/${chatId}/usage?messageIds=${messageId}`)).statusCode).toBe(404)
  })

  it('has days of 23 and 25 hours when clocks change, and each moment in one day', async () => {
    const ada = await join()
    const times = [
      '2026-03-28T23:59:59.999+01:00',
      '2026-03-29T00:00:00+01:00',
      '2026-03-29T23:59:59.999+02:00',
      '2026-10-25T02:30:00+02:00',
      '2026-10-25T02:30:00+01:00',
      '2026-10-25T23:59:59.999+01:00',
      '2026-10-26T00:00:00+01:00',
    ]
    for (const time of times) await store(ada, { time: Date.parse(time) })
    const query = 'from=2026-03-01&to=2026-10-31&time_zone=Europe/Vienna'
    const { days } = await readReport(ada, query)
    expect(days.map(({ day, calls }) => [day, calls])).toEqual([
      ['2026-03-28', 1],
      ['2026-03-29', 2],
      ['2026-10-25', 3],
      ['2026-10-26', 1],
    ])
    const inUtc = await readReport(ada, query.replace('Europe/Vienna', 'UTC'))
    expect(inUtc.days.map(({ day, calls }) => [day, calls])).toEqual([
      ['2026-03-28', 2],
      ['2026-03-29', 1],
      ['2026-10-25', 4],
    ])
  })

  it('adds up exactly: records, days, months, bots and the CSV', async () => {
    const ada = await join()
    const records = Array.from({ length: 500 }, (_, index) => ({
      time: Date.UTC(2026, index % 12, (index % 28) + 1, index % 24),
      bot: `Bot ${index % 7}`,
      model: `m${index % 3}`,
      input_tokens: index % 11 === 0 ? null : index * 7_919,
      output_tokens: index * 104_729,
      cached_tokens: index,
      reasoning_tokens: index % 5 === 0 ? null : 1,
      cost: index % 13 === 0 ? null : 9_007_199_254_740_991 - index * 999_999_937,
      currency: index % 13 === 0 ? null : index % 2 === 0 ? 'USD' : 'EUR',
    }))
    for (const record of records) await store(ada, record)
    const costOf = (currency: string) =>
      records.reduce((sum, { cost, currency: own }) => (own === currency ? sum + BigInt(cost ?? 0) : sum), 0n)
    const sumOf = (key: 'input_tokens' | 'output_tokens' | 'cached_tokens' | 'reasoning_tokens') =>
      records.reduce((sum, record) => sum + (record[key] ?? 0), 0)
    const expected = {
      calls: 500,
      input_tokens: sumOf('input_tokens'),
      output_tokens: sumOf('output_tokens'),
      cached_tokens: sumOf('cached_tokens'),
      reasoning_tokens: sumOf('reasoning_tokens'),
      uncounted_calls: records.filter((record) => record.input_tokens === null).length,
      unpriced_calls: records.filter(({ cost }) => cost === null).length,
      EUR: costOf('EUR'),
      USD: costOf('USD'),
    }
    const report = await readReport(ada)
    for (const parts of [[report.total], report.days, report.months, report.bots]) {
      const add = (key: Exclude<keyof typeof expected, 'EUR' | 'USD'>) =>
        parts.reduce((sum, part) => sum + part[key], 0)
      const cost = (code: string) =>
        parts
          .flatMap(({ costs }) => costs.filter(({ currency }) => currency === code))
          .reduce((sum, { amount }) => sum + toNanos(amount), 0n)
      expect({
        calls: add('calls'),
        input_tokens: add('input_tokens'),
        output_tokens: add('output_tokens'),
        cached_tokens: add('cached_tokens'),
        reasoning_tokens: add('reasoning_tokens'),
        uncounted_calls: add('uncounted_calls'),
        unpriced_calls: add('unpriced_calls'),
        EUR: cost('EUR'),
        USD: cost('USD'),
      }).toEqual(expected)
    }
    const rows = (await ada.get(`/api/usage.csv?${today}`)).body
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','))
    const column = (index: number) => rows.reduce((sum, row) => sum + Number(row[index]), 0)
    const csvCost = (code: string) =>
      rows.filter((row) => row[10] === code).reduce((sum, row) => sum + toNanos(row[9] ?? ''), 0n)
    expect({
      calls: column(3),
      input_tokens: column(4),
      cached_tokens: column(5),
      output_tokens: column(6),
      reasoning_tokens: column(7),
      uncounted_calls: column(8),
      EUR: csvCost('EUR'),
      USD: csvCost('USD'),
      unpriced_calls: column(11),
    }).toEqual(expected)
  })

  it('is a CSV file that no spreadsheet calculates', async () => {
    const ada = await join()
    await store(ada, { bot: '=cmd()|"A1"', model: '@sum', input_tokens: null, output_tokens: null })
    const response = await ada.get(`/api/usage.csv?${today}`)
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(response.headers['content-disposition']).toBe(
      'attachment; filename="yonder-usage-2026-01-01-2026-12-31.csv"',
    )
    expect(response.body).toBe(
      '\uFEFFDay,Bot,Model,Model calls,Input tokens,Cached input tokens,Output tokens,Reasoning tokens,Calls without token counts,Cost,Currency,Calls without a known cost\r\n' +
        `2026-11-24,"'=cmd()|""A1""",'@sum,1,,,,,1,,,1\r\n`,
    )
  })

  it.each([
    ['a;=1+1', `"a;'=1+1"`],
    ['a\t=1+1', 'a =1+1'],
    ['\t=1+1', " '=1+1"],
    ['a;\r\n@x', `"a; '@x"`],
    ['＝1', "'＝1"],
    ['﹦1', "'﹦1"],
    ['-1', "'-1"],
    ['a; b-c', '"a; b-c"'],
    ['gpt-5', 'gpt-5'],
  ])('is a CSV file that no spreadsheet calculates with another separator: %j', async (model, cell) => {
    const ada = await join()
    await store(ada, { model, input_tokens: null, output_tokens: null })
    const [, line] = (await ada.get(`/api/usage.csv?${today}`)).body.trim().split('\r\n')
    expect(line).toBe(`2026-11-24,B,${cell},1,,,,,1,,,1`)
  })

  it('is a CSV file with an empty cell for each count that no call reported', async () => {
    const ada = await join()
    await store(ada, { model: 'a', input_tokens: 10, output_tokens: 0, cached_tokens: 0 })
    await store(ada, { model: 'b', input_tokens: 10, output_tokens: null, reasoning_tokens: 2 })
    await store(ada, { model: 'b', input_tokens: 5, output_tokens: null })
    const lines = (await ada.get(`/api/usage.csv?${today}`)).body.trim().split('\r\n').slice(1)
    expect(lines).toEqual(['2026-11-24,B,a,1,10,0,0,,0,,,1', '2026-11-24,B,b,2,15,,,2,2,,,2'])
  })

  it.each([
    ['from=2026-11-31&to=2026-12-01&time_zone=UTC', 'from: there is no day 2026-11-31'],
    ['from=0001-01-01&to=0001-01-02&time_zone=UTC', 'from: there is no day 0001-01-01'],
    ['from=2026-11-02&to=2026-11-01&time_zone=UTC', 'from: must not be later than to'],
    ['from=2026-01-01&to=2027-02-05&time_zone=UTC', 'to: a range must have at most 400 days'],
    ['from=2026-11-01&to=2026-11-02&time_zone=Mars/Base', 'time_zone: there is no time zone Mars/Base'],
    ['from=today&to=2026-11-02&time_zone=UTC', 'from: must be a day such as 2026-11-24'],
    ['from=2026-11-01&to=2026-11-02', 'time_zone: '],
  ])('refuses %s', async (query, message) => {
    const ada = await join()
    const before = await hashTables(product.database)
    for (const path of ['/api/usage', '/api/usage.csv']) {
      const response = await ada.get(`${path}?${query}`)
      expect([path, response.statusCode]).toEqual([path, 400])
      expect(response.json<{ error: { message: string } }>().error.message).toContain(message)
    }
    expect(await hashTables(product.database)).toEqual(before)
  })

  it('follows the clock of the server when it is set back', async () => {
    const ada = await join()
    await reply(ada, ['Hi', usage(1, 1)])
    clock -= 24 * 3_600_000
    await reply(ada, ['Hi', usage(1, 1)])
    clock += 24 * 3_600_000
    expect((await readReport(ada)).days.map(({ day }) => day)).toEqual(['2026-11-23', '2026-11-24'])
  })
})

function toNanos(amount: string): bigint {
  const [units = '', decimals = ''] = amount.split('.')
  return BigInt(units + decimals.padEnd(9, '0'))
}

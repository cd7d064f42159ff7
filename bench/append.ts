import { performance } from 'node:perf_hooks'
import { writeLongChat } from '../e2e/support/database-rows.ts'
import { sendMessage } from '../server/completions/start/send-message.ts'
import { openTestDatabase } from '../server/testing/database/test-database.ts'
import { openTestApp } from '../server/testing/test-app.ts'
import { openReport } from './parts/figures.ts'

/*
 * Compares the cost of storing a message in long chats and in a chat of 100 messages: the message, its empty reply and
 * their run, in one transaction of a SQLite file. The chats take turns. The request to the model is not measured: it
 * grows with the chat up to a limit.
 */

const rounds = Number(process.argv[2] ?? 300)
const maxRatio = 1.1

const database = await openTestDatabase('sqlite', { durable: true })
const product = await openTestApp({ database })
const { user, post } = await product.signIn()
await post('/api/bot', { name: 'Bench', model: 'bench' })
const { db } = database
const bot = await db.selectFrom('bots').selectAll().executeTakeFirstOrThrow()
const { dataDir } = database.location
const chats: { size: number; id: string; values: number[] }[] = []
for (const size of [100, 10_000, 40_000])
  chats.push({ size, id: await writeLongChat(dataDir, user.email ?? '', size), values: [] })

for (let round = -20; round < rounds; round++) {
  // The order alternates, because the first of a round is at a disadvantage.
  for (const { id, values } of round % 2 === 0 ? chats : chats.toReversed()) {
    const request = { chatId: id, content: 'And what then?', botName: bot.name }
    const start = performance.now()
    const sent = await sendMessage(product.deps, user, bot, request)
    if (round >= 0) values.push(performance.now() - start)
    if (sent.kind !== 'written') throw new Error('The message was not written.')
    await db.deleteFrom('runs').where('id', '=', sent.run.id).execute()
  }
}
await product.close()
await database.close()

const report = openReport('messages')
const [short, ...long] = chats
for (const { size, values } of long) {
  const counterpart = { name: `${short?.size} messages`, values: short?.values ?? [] }
  report.add({ name: 'store a message', size, unit: 'ms', values, counterpart, goal: { maxRatio } })
}
report.finish()

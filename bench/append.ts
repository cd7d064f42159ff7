import { performance } from 'node:perf_hooks'
import { writeLongChat } from '../e2e/support/database-rows.ts'
import { sendMessage } from '../server/completions/start/send-message.ts'
import { openTestDatabase } from '../server/testing/database/test-database.ts'
import { openTestApp } from '../server/testing/test-app.ts'

/*
 * Compares the cost of storing a message in a chat of 10,000 messages and in one of 100: the message, its empty reply and
 * their run, in one transaction of a SQLite file. The two chats alternate. The request to the model is not measured: it
 * grows with the chat up to a limit.
 */

const rounds = Number(process.argv[2] ?? 300)
const maxRatio = 1.2

const database = await openTestDatabase('sqlite', { durable: true })
const product = await openTestApp({ database })
const { user, post } = await product.signIn()
await post('/api/bot', { name: 'Bench', model: 'bench' })
const { db } = database
const bot = await db.selectFrom('bots').selectAll().executeTakeFirstOrThrow()
const { dataDir } = database.location
const chats: { count: number; id: string; times: number[] }[] = []
for (const count of [100, 10_000])
  chats.push({
    count,
    id: await writeLongChat(dataDir, user.email ?? '', count),
    times: [],
  })

for (let round = -20; round < rounds; round++) {
  // The order alternates, because the first of a round is at a disadvantage.
  for (const { id, times } of round % 2 === 0 ? chats : [...chats].reverse()) {
    const request = { chatId: id, content: 'And what then?', botName: bot.name }
    const start = performance.now()
    const sent = await sendMessage(product.deps, user, bot, request)
    if (round >= 0) times.push(performance.now() - start)
    if (sent.kind !== 'written') throw new Error('The message was not written.')
    await db.deleteFrom('runs').where('id', '=', sent.run.id).execute()
  }
}
await product.close()
await database.close()

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
for (const { count, times } of chats) {
  process.stdout.write(
    `append to a chat of ${String(count).padStart(6)} messages: ${median(times).toFixed(2)} ms (median of ${times.length})\n`,
  )
}
const [few = Number.NaN, many = Number.NaN] = chats.map(({ times }) => median(times))
process.stdout.write(`ratio ${(many / few).toFixed(2)}, goal: under ${maxRatio}\n`)
if (!(many / few < maxRatio)) process.exitCode = 1

import { performance } from 'node:perf_hooks'
import { writeLongChat } from '../e2e/support/database-rows.ts'
import { listMessages } from '../server/chats/message-store.ts'
import { buildPrompt } from '../server/completions/prompt/build-prompt.ts'
import { readPromptSource } from '../server/completions/prompt/fit-prompt.ts'
import { openTestDatabase } from '../server/testing/database/test-database.ts'
import { addCompaction } from '../server/testing/factories/chats.ts'
import { openTestApp } from '../server/testing/test-app.ts'
import { openReport } from './parts/open-report.ts'

/*
 * Compares the cost of a prompt in long chats, in which all but the newest 100 messages are summarised, and in a chat
 * of 100 messages: reading the path and building the messages, on a SQLite file. The chats take turns.
 */

const rounds = Number(process.argv[2] ?? 300)
const maxRatio = 1.2
const kept = 100

const database = await openTestDatabase('sqlite', { durable: true })
const product = await openTestApp({ database })
const { user } = await product.signIn()
const { db } = database
const chats: { size: number; id: string; leaf: string; values: number[] }[] = []
for (const size of [kept, 10_000, 40_000]) {
  const id = await writeLongChat(database.location.dataDir, user.email ?? '', size)
  const messages = await listMessages(db, id)
  const last = messages.at(-kept - 1)
  if (last !== undefined)
    await addCompaction(db, { chat_id: id, message_id: last.id, message_count: size - kept })
  chats.push({ size, id, leaf: messages.at(-1)?.id ?? '', values: [] })
}

for (let round = -20; round < rounds; round++) {
  // The order alternates, because the first of a round is at a disadvantage.
  for (const { id, leaf, values } of round % 2 === 0 ? chats : chats.toReversed()) {
    const start = performance.now()
    const source = await readPromptSource(db, id, leaf)
    const messages = buildPrompt(source.path, source)
    if (round >= 0) values.push(performance.now() - start)
    if (messages.length < kept) throw new Error('The prompt is incomplete.')
  }
}
await product.close()
await database.close()

const report = openReport('prompt', 'messages')
const [short, ...long] = chats
for (const { size, values } of long) {
  const counterpart = { name: `${short?.size} messages`, values: short?.values ?? [] }
  report.add({ name: 'build a prompt', size, unit: 'ms', values, counterpart, goal: { maxRatio } })
}
report.finish()

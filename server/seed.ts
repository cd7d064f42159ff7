import { insertDefaultBots } from './bots/default-bots.ts'
import { createBot } from './bots/save-bot.ts'
import { insertChat, moveLeaf } from './chats/chat-store.ts'
import { appendMessage } from './chats/message-store.ts'
import { readConfig } from './config/config.ts'
import type { Config } from './config/config.ts'
import type { Database, Db } from './db/database.ts'
import { newId } from './lib/new-id.ts'
import { openDatabase } from './db/open-database.ts'
import { requireSecretKey } from './db/secrets/require-secret-key.ts'
import { createSealer } from './db/secrets/seal-secret.ts'
import type { MessageRow } from './db/tables/tables.ts'
import { createUpsertUser } from './identity/users/upsert-user.ts'
import { createAccount } from './identity/accounts/create-account.ts'
import type { User } from './identity/user.ts'
import { exampleChats } from './seed-chats.ts'
import type { ExampleChat, ExampleTurn } from './seed-chats.ts'

/** The password of every example account: this is why they are made on loopback alone. */
const password = 'correct horse'
const users = [
  { name: 'Ada Example', email: 'ada@example.com' },
  { name: 'Grace Example', email: 'grace@example.com' },
] as const

const hour = 3_600_000
const minute = 60_000

/** Fills the data folder with accounts, bots and chats to develop with. An account that is there already is left alone. */
async function seed(config: Config): Promise<void> {
  if (!config.loopback || config.oidc !== null) {
    throw new Error(
      'Example accounts have a known password: they are made only with HOST and PUBLIC_URL on loopback and without OIDC_ISSUER.',
    )
  }
  const database = await openDatabase(config)
  try {
    for (const user of users) console.log(await seedUser(database, config, user))
    console.log(`The password of both is: ${password}`)
  } finally {
    await database.close()
  }
}

async function seedUser(
  database: Database,
  config: Config,
  { name, email }: (typeof users)[number],
): Promise<string> {
  const { db } = database
  const now = Date.now()
  const sealer = createSealer(requireSecretKey(config.secretKey, config.dataDir))
  const account = await createAccount(
    { database, now: () => now, findRefusal: () => Promise.resolve(null) },
    { name, email, password },
  )
  if (account.accountId === undefined) return `${email}: left alone. ${account.error}`
  const upsertUser = createUpsertUser({
    db,
    now: () => now,
    onNewUser: async (trx, user) => {
      await insertDefaultBots(trx, user, { config, sealer, now: () => now })
      await createBot(
        trx,
        sealer,
        user,
        { name: 'Local Ollama', model: 'llama3.3', base_url: 'http://127.0.0.1:11434/v1' },
        now + hour,
      )
      for (const chat of exampleChats) await seedChat(trx, user, chat, now)
    },
  })
  await upsertUser(`${config.publicUrl}/oidc`, account.accountId, { name, email })
  return `${email}: made, with bots and ${exampleChats.length} chats.`
}

async function seedChat(trx: Db, user: User, { age, turns }: ExampleChat, now: number): Promise<void> {
  const chat_id = newId()
  const end = now - age * hour
  const start = end - turns.length * minute
  await insertChat(trx, {
    id: chat_id,
    user_id: user.id,
    selected_message_id: null,
    created_at: start,
    updated_at: end,
  })
  let leaf: MessageRow | null = null
  for (const [index, turn] of turns.entries()) {
    leaf = await seedTurn(trx, chat_id, turn, leaf, start + index * minute)
  }
  if (leaf !== null) await moveLeaf(trx, chat_id, leaf.id)
}

/** Gives the last of the answers, under which the chat goes on. */
async function seedTurn(
  trx: Db,
  chat_id: string,
  turn: ExampleTurn,
  parent: MessageRow | null,
  now: number,
): Promise<MessageRow> {
  const message = (role: 'user' | 'assistant', content: string) => ({
    chat_id,
    id: newId(),
    role,
    content,
    status: 'complete',
  })
  const question = await appendMessage(trx, message('user', turn.question), parent, now)
  let answer = question
  for (const content of turn.answers) {
    answer = await appendMessage(
      trx,
      { ...message('assistant', content), model: 'demo', bot: 'Yonder Demo' },
      question,
      now,
    )
  }
  return answer
}

try {
  await seed(readConfig())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

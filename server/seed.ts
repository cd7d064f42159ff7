import { ownedBy } from './access/access.ts'
import { insertDefaultBots } from './bots/default-bots.ts'
import { createBot } from './bots/save-bot.ts'
import { insertChat, selectLeaf, restoreDefaultTitle } from './chats/chat-store.ts'
import { appendMessage } from './chats/message-store.ts'
import { readConfig, type Config } from './config/config.ts'
import { addDefaultConnectors } from './connectors/sync-connectors.ts'
import type { Database, Db } from './db/database.ts'
import { openDatabase } from './db/open-database.ts'
import { openSealer } from './db/secrets/open-sealer.ts'
import type { MessageRow } from './db/tables/tables.ts'
import { createAccount } from './identity/accounts/create-account.ts'
import { createPasswordHasher } from './identity/accounts/hash-password.ts'
import type { User } from './identity/user.ts'
import { createUpsertUser } from './identity/users/upsert-user.ts'
import { readOwnIssuer } from './identity/users/user-store.ts'
import { newId } from './lib/new-id.ts'
import { exampleChats, type ExampleChat, type ExampleTurn } from './seed-chats.ts'

/** The password of every example account. It is known, so the accounts are created only on loopback. */
const password = 'correct horse'
const users = [
  { name: 'Ada Example', email: 'ada@example.com' },
  { name: 'Grace Example', email: 'grace@example.com' },
] as const

const hourMs = 3_600_000
const minuteMs = 60_000

/** Fills the database with accounts, bots and chats for development. Existing accounts are not changed. */
async function seed(config: Config): Promise<void> {
  if (!config.isLoopback || config.oidc !== null) {
    throw new Error(
      'The example accounts have a known password. Set HOST and PUBLIC_URL to loopback and remove OIDC_ISSUER to create them.',
    )
  }
  const database = await openDatabase(config)
  try {
    for (const user of users) console.log(await seedUser(database, config, user))
    console.log(`The password of the accounts created here is: ${password}`)
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
  const sealer = await openSealer(db, config, now)
  const created = await createAccount(
    {
      database,
      now: () => now,
      passwords: createPasswordHasher(),
      findRefusal: () => Promise.resolve(null),
    },
    { name, email, password },
  )
  if (created.account === undefined) return `${email}: not created. ${created.error}`
  const upsertUser = createUpsertUser({
    db,
    now: () => now,
    onNewUser: async (trx, user) => {
      await insertDefaultBots(trx, user, {
        config,
        sealer,
        now: () => now,
        addConnectors: addDefaultConnectors,
      })
      await createBot(
        trx,
        { sealer, config },
        user,
        {
          name: 'Local Ollama',
          model: 'llama3.3',
          base_url: 'http://127.0.0.1:11434/v1',
          connectorIds: null,
        },
        // Bots are listed in order of creation: this one after the default bots.
        now + hourMs,
      )
      for (const chat of exampleChats) await seedChat(trx, user, chat, now)
    },
  })
  await upsertUser(await readOwnIssuer(db), created.account.id, { name, email })
  return `${email}: created, with bots and ${exampleChats.length} chats.`
}

async function seedChat(trx: Db, user: User, { ageHours, turns }: ExampleChat, now: number): Promise<void> {
  const chat_id = newId()
  const end = now - ageHours * hourMs
  const start = end - turns.length * minuteMs
  await insertChat(trx, {
    id: chat_id,
    ...ownedBy(user),
    selected_message_id: null,
    created_at: start,
    updated_at: end,
  })
  let leaf: MessageRow | null = null
  for (const [index, turn] of turns.entries()) {
    leaf = await seedTurn(trx, chat_id, turn, leaf, start + index * minuteMs)
  }
  if (leaf !== null) await selectLeaf(trx, chat_id, leaf.id)
  await restoreDefaultTitle(trx, chat_id)
}

/** Returns the last reply, which is the parent of the next question. */
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
  let reply = question
  for (const content of turn.replies) {
    reply = await appendMessage(
      trx,
      { ...message('assistant', content), model: 'demo', bot: 'Yonder Demo' },
      question,
      now,
    )
  }
  return reply
}

try {
  await seed(readConfig())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from './db/open-database.ts'
import { createPasswordHasher } from './identity/accounts/hash-password.ts'
import { readOwnIssuer } from './identity/users/user-store.ts'
import { moduleUrl } from './testing/program-path.ts'
import { runScript } from './testing/run-script.ts'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'yonder-seed-'))
})

afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true })
})

function seed(settings: Readonly<Record<string, string>> = {}) {
  // In a folder of its own, so that no .env of the developer is read.
  const code = `process.chdir(${JSON.stringify(dataDir)}); await import(${JSON.stringify(moduleUrl('seed.ts'))})`
  return runScript(code, { DATA_DIR: dataDir, ...settings })
}

it('creates accounts that can sign in, with bots and chats, once', async () => {
  const first = await seed()
  expect(first).toMatchObject({ status: 0, output: expect.stringContaining('ada@example.com: created') })
  const again = await seed()
  expect(again).toMatchObject({ status: 0, output: expect.stringContaining('ada@example.com: not created') })

  const { db, close } = await openDatabase({ databaseUrl: null, dataDir })
  const accounts = await db.selectFrom('accounts').selectAll().orderBy('email').execute()
  expect(accounts.map(({ email }) => email)).toEqual(['ada@example.com', 'grace@example.com'])
  // The cost of the product, which tests of the sign-in lower.
  expect(accounts[0]?.password_hash).toMatch(/^scrypt\$131072\$/)
  const word = /The password of the accounts created here is: (.+)/.exec(first.output)?.[1] ?? ''
  expect(await createPasswordHasher().isPassword(word, accounts[0]?.password_hash)).toBe(true)

  const users = await db.selectFrom('users').selectAll().orderBy('email').execute()
  expect(users.map(({ subject }) => subject)).toEqual(accounts.map(({ id }) => id))
  expect(new Set(users.map(({ issuer }) => issuer))).toEqual(new Set([await readOwnIssuer(db)]))
  const bots = await db.selectFrom('bots').select('name').where('user_id', '=', users[0]!.id).execute()
  expect(bots.map(({ name }) => name).sort()).toEqual(['Local Ollama', 'Yonder Demo'])
  const chats = await db.selectFrom('chats').selectAll().where('user_id', '=', users[0]!.id).execute()
  expect(chats).toHaveLength(4)
  const lengths = await Promise.all(
    chats.map(
      async ({ id }) =>
        (await db.selectFrom('messages').select('id').where('chat_id', '=', id).execute()).length,
    ),
  )
  expect(Math.max(...lengths)).toBe(600)
  for (const { id, selected_message_id } of chats) {
    const leaf = await db
      .selectFrom('messages')
      .selectAll()
      .where('chat_id', '=', id)
      .where('id', '=', selected_message_id ?? '')
      .executeTakeFirstOrThrow()
    expect(leaf).toMatchObject({ role: 'assistant', status: 'complete' })
  }
  await close()
})

it.each([
  { HOST: '0.0.0.0' },
  { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'c', OIDC_AUDIENCE: 'a' },
])('creates no accounts with a known password where others can reach them (%o)', async (settings) => {
  expect(await seed(settings)).toMatchObject({ status: 1, output: expect.stringContaining('known password') })
  const { db, close } = await openDatabase({ databaseUrl: null, dataDir })
  expect(await db.selectFrom('accounts').selectAll().execute()).toEqual([])
  await close()
})

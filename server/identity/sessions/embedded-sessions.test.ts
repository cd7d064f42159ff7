import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines, openTestDatabase, type TestDatabase } from '../../testing/database/test-database.ts'
import { openIdentityServer, type IdentityServer } from '../../testing/identity/identity-server.ts'
import { SignInSession } from '../../testing/identity/sign-in-session.ts'

describe.each(engines)('the sessions of the embedded provider on %s', (engine) => {
  let database: TestDatabase
  let server: IdentityServer
  const ended: string[] = []

  beforeAll(async () => {
    database = await openTestDatabase(engine)
    server = await openIdentityServer({ database })
    server.identity.sessions?.onEnd(({ sessionId }) => ended.push(sessionId))
  })
  afterAll(async () => {
    await server.close()
    await database.close()
  })

  it('are at most 100 of an account: the next sign-in ends the one that was used least recently', async () => {
    const user = { email: 'many@example.com', password: 'correct horse' }
    const oldest = new SignInSession(server.baseUrl)
    const tokens = await oldest.join(user)
    expect((await server.readUser(tokens.access_token)).status).toBe(200)
    const { db } = database
    const stored = await db.selectFrom('sign_ins').selectAll().executeTakeFirstOrThrow()
    await db
      .insertInto('sign_ins')
      .values(
        Array.from({ length: 99 }, (_, index) => ({
          ...stored,
          grant_id: `grant ${index}`,
          used_at: stored.used_at + 1 + index,
        })),
      )
      .execute()

    await new SignInSession(server.baseUrl).signIn(user)
    const kept = await db.selectFrom('sign_ins').select('grant_id').execute()
    expect(kept).toHaveLength(100)
    expect(kept.map(({ grant_id }) => grant_id)).not.toContain(stored.grant_id)
    expect(ended).toEqual([stored.grant_id])
    expect((await server.readUser(tokens.access_token)).status).toBe(401)
    expect((await oldest.refresh(tokens.refresh_token)).status).toBe(400)
  })

  it('refuse a disabled user although the sign-in is stored', async () => {
    const { access_token } = await new SignInSession(server.baseUrl).join({ email: 'grace@example.com' })
    expect((await server.readUser(access_token)).status).toBe(200)
    await database.db
      .updateTable('users')
      .set({ disabled_at: 1 })
      .where('email', '=', 'grace@example.com')
      .execute()
    expect((await server.readUser(access_token)).status).toBe(401)
  })
})

import { textOfContent } from '@yonder/contract/message-text'
import { SharedChat } from '@yonder/contract/share'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { addChat, addPath } from '../testing/factories/chats.ts'
import { openTestApp, type TestApp } from '../testing/test-app.ts'
import { demoChat } from './demo-chat.ts'
import { seedDemoShare } from './seed-demo-share.ts'

const headers = { host: 'localhost:3000' }

describe.each(engines)('the demo chat on %s', (engine) => {
  let product: TestApp
  beforeEach(async () => {
    product = await openTestApp({ engine })
  })
  afterEach(() => product.close())

  const readDemo = async () => {
    const { demoShareId } = (await product.app.inject({ url: '/api/settings', headers })).json<{
      demoShareId: string
    }>()
    return product.app.inject({ url: `/api/share/${demoShareId}`, headers })
  }
  const counts = async () => {
    const { db } = product.database
    const [users, chats, messages, shares] = await Promise.all([
      db.selectFrom('users').select('id').execute(),
      db.selectFrom('chats').select('id').execute(),
      db.selectFrom('messages').select('id').execute(),
      db.selectFrom('shares').select('id').execute(),
    ])
    return [users.length, chats.length, messages.length, shares.length]
  }

  it('is returned under the link from the settings (§1.6, §2.13)', async () => {
    await seedDemoShare(product.database, Date.now())
    const { messages } = SharedChat.parse((await readDemo()).json())
    const text = messages.map(({ content }) => textOfContent(content)).join('\n')
    expect(text).toMatch(/^\|.*\|$/m)
    expect(text).toContain('```ts')
    expect(text).toContain('$$')
    expect(text).toContain('- [x]')
    const call = messages.find(({ tool }) => tool !== undefined)
    const result = messages.find(({ parent_id }) => parent_id === call?.id)
    expect(result).toMatchObject({ role: 'user', server: call?.server })
    expect(messages.every(({ status }) => status === 'complete')).toBe(true)
  })

  it('is created once, and does not change at later starts', async () => {
    await seedDemoShare(product.database, 1_700_000_000_000)
    const first = (await readDemo()).body
    await seedDemoShare(product.database, 1_800_000_000_000)
    expect((await readDemo()).body).toBe(first)
    expect(await counts()).toEqual([1, 1, demoChat.length, 1])
  })

  it.runIf(isConcurrent(engine))('is created once by nodes that start at the same time', async () => {
    await Promise.all([1, 2, 3].map(() => seedDemoShare(product.database, Date.now())))
    expect(await counts()).toEqual([1, 1, demoChat.length, 1])
  })

  it('is replaced under the same link when its text has changed', async () => {
    await seedDemoShare(product.database, Date.now())
    const { db } = product.database
    const text = (await readDemo()).body
    // As after another version, the link leads to another chat.
    const { user } = await product.signIn('Ada')
    const old = await addChat(db, { id: 'old', user_id: user.id })
    await addPath(db, old, [{ id: 'm', content: 'Old' }])
    await db.updateTable('shares').set({ chat_id: 'old', message_id: 'm' }).execute()
    expect((await readDemo()).body).toContain('Old')
    await seedDemoShare(product.database, Date.now())
    expect((await readDemo()).body).toBe(text)
  })

  it('belongs to no user who can sign in', async () => {
    await seedDemoShare(product.database, Date.now())
    const ada = await product.signIn('Ada')
    expect((await ada.delete('/api/share/demo')).statusCode).toBe(404)
    expect((await readDemo()).statusCode).toBe(200)
    const [owner] = await product.database.db
      .selectFrom('shares')
      .innerJoin('users', 'users.id', 'shares.user_id')
      .select('issuer')
      .execute()
    expect(owner?.issuer).not.toMatch(/^https?:/)
  })
})

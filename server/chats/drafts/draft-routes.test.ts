import type { Drafts } from '@yonder/contract/draft'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines } from '../../testing/database/test-database.ts'
import { statusAndBody } from '../../testing/send-request.ts'
import { openTestApp, type TestApp, type TestClient } from '../../testing/test-app.ts'

describe.each(engines)('what was not sent, on %s', (engine) => {
  let product: TestApp
  let ada: TestClient
  let eve: TestClient
  beforeAll(async () => {
    product = await openTestApp({ engine })
    ada = await product.signIn('Ada')
    eve = await product.signIn('Eve')
  })
  afterAll(() => product.close())

  const read = async (user: TestClient) => (await user.get('/api/drafts')).json<Drafts>().drafts

  it('is kept for its user as it was written, until it is replaced', async () => {
    expect(await read(ada)).toEqual({})
    const drafts = { home_page_draft: 'Half a question', chat_1_draft: '{"files":["é😀"]}\n' }
    expect((await ada.put('/api/drafts', { drafts })).statusCode).toBe(204)
    await eve.put('/api/drafts', { drafts: { home_page_draft: 'Of Eve' } })
    expect(await read(ada)).toEqual(drafts)
    const both = [{ a: '1' }, { a: '2', b: '3' }]
    await Promise.all(both.map((next) => ada.put('/api/drafts', { drafts: next })))
    expect(both).toContainEqual(await read(ada))
    await ada.put('/api/drafts', { drafts: {} })
    expect([await read(ada), await read(eve)]).toEqual([{}, { home_page_draft: 'Of Eve' }])
  })

  it.each([
    ['too many', Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`k${index}`, 'x']))],
    ['too long', { k: 'x'.repeat(200_001) }],
    ['without a name', { '': 'x' }],
    ['no text', { k: 5 }],
  ])('is refused when it is %s, and nothing is written', async (_, drafts) => {
    const before = await hashTables(product.database)
    const response = statusAndBody(await ada.put('/api/drafts', { drafts }))
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } })
    expect(await hashTables(product.database)).toEqual(before)
  })
})

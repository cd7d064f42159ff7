import type { Connector } from '@yonder/contract/connector'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChatApp, type ChatApp, type ChatClient } from '../testing/chat/open-chat-app.ts'
import { callOf, waitingCall } from '../testing/chat/open-tool-app.ts'
import { connectGoogle, visitGoogle } from '../testing/google-stand-in/connect-google.ts'
import { startGoogleStandIn, type GoogleStandIn } from '../testing/google-stand-in/start-google-stand-in.ts'
import { createGmailApi, type GmailApi } from '../testing/google/gmail-api.ts'

const account = 'ada@example.com'

describe('the connection to Gmail', () => {
  let google: GoogleStandIn
  let gmail: GmailApi
  let product: ChatApp
  let ada: ChatClient

  beforeAll(async () => {
    gmail = createGmailApi()
    google = await startGoogleStandIn({ apis: [gmail] })
    product = await openChatApp({ environment: { ...google.environment, CONNECTOR_REGISTRY_URL: 'none' } })
    ada = await product.join('Ada')
    gmail
      .mailbox(account)
      .deliver({ from: 'grace@example.com', subject: 'The compiler', text: 'It compiles.' })
  })
  afterAll(async () => {
    await product.close()
    await google.close()
  })

  const list = async () => (await ada.get('/api/mcp-servers')).json<Connector[]>()
  /** Sends a message in a new chat. The model replies to it with this tool call. */
  async function sendWithCall(tool: string, args: object) {
    product.model.reply([callOf('gmail', tool, args)])
    product.model.reply(['That is all.'])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'What is new?')
    await stream.ended
    return { chatId, stream, messages: stream.run.messages }
  }
  const offeredTools = () => JSON.stringify(product.model.requests.at(-1)?.body['tools'] ?? [])

  it('is needed before Gmail is listed and offered to a model', async () => {
    expect((await list()).map(({ name }) => name)).toEqual(['default'])
    product.model.reply(['Hello.'])
    await (
      await ada.send(await ada.newChat(), 'Hi')
    ).ended
    expect(offeredTools()).not.toContain('gmail')
  })

  it('lets the model read emails without approval', async () => {
    await connectGoogle(ada, 'google-gmail')
    const mine = (await list()).find(({ name }) => name === 'Gmail')
    expect(mine).toMatchObject({ status: 'connected', is_default: true, url: 'builtin://google-gmail' })
    expect(mine?.allow_tools).toContain('search_messages')
    expect(mine?.allow_tools).not.toContain('send_message')
    expect((await ada.get('/api/mcp-server/Gmail/account')).json()).toEqual({ account, time_zone: null })
    expect((await ada.get('/api/mcp-server/default/account')).json()).toEqual({
      account: null,
      time_zone: null,
    })
    const { messages } = await sendWithCall('search_messages', { query: '' })
    expect(messages).toMatchObject([
      { role: 'user' },
      { server: 'Gmail', tool: 'search_messages', call: { state: 'answered' } },
      { outcome: { status: 'done' }, content: expect.stringContaining('The compiler') },
      { content: 'That is all.' },
    ])
    expect(offeredTools()).toContain('gmail__search_messages')
  })

  it('lets the model send an email once, after its approval (§4.19, §4.20)', async () => {
    const email = { to: ['grace@example.com'], subject: 'Re: The compiler', body: 'Wonderful!' }
    const { chatId, stream } = await sendWithCall('send_message', email)
    expect(gmail.mailbox(account).sent).toEqual([])
    await (
      await ada.confirm({ ...waitingCall(chatId, stream) })
    ).ended
    expect(gmail.mailbox(account).sent).toHaveLength(1)
  })

  it('reports an email as sent when the state of the integration cannot be stored', async () => {
    const { db } = product.database
    await db.updateTable('integrations').set({ call_error: 'Gmail failed before.' }).execute()
    await sql`create trigger full_disk before update of call_error on integrations
      begin select raise(abort, 'the disk is full'); end`.execute(db)
    const sent = gmail.mailbox(account).sent.length
    const email = { to: ['grace@example.com'], subject: 'Again', body: 'Still wonderful!' }
    const { chatId, stream } = await sendWithCall('send_message', email)
    await (
      await ada.confirm({ ...waitingCall(chatId, stream) })
    ).ended
    await sql`drop trigger full_disk`.execute(db)
    await db.updateTable('integrations').set({ call_error: null }).execute()
    expect(gmail.mailbox(account).sent).toHaveLength(sent + 1)
    const result = (await ada.readChat(chatId)).messages.find(({ outcome }) => outcome !== undefined)
    expect(result?.outcome?.status).toBe('done')
  })

  it('does not send an allowed call with another account that was connected afterwards', async () => {
    // Google rejects the token of the allowed call. While it is refreshed, the user connects another account.
    google.behaviour.account = 'eve@example.com'
    google.grants.expireAccess()
    google.behaviour.token = 'hang'
    const before = gmail.count('gmail.users.messages.list')
    const called = sendWithCall('search_messages', { query: '' })
    await expect.poll(() => google.tokenRequests.at(-1)?.['grant_type']).toBe('refresh_token')
    google.behaviour.token = 'issue'
    const { code, state } = await visitGoogle(ada, 'google-gmail')
    await ada.post('/api/integration/callback/gmail', { code, state })
    google.releaseTokens()
    const { messages } = await called
    expect(messages[2]).toMatchObject({
      outcome: { status: 'tool_error' },
      content: expect.stringContaining('Gmail was connected again before the request was sent'),
    })
    expect(gmail.count('gmail.users.messages.list') - before).toBe(0)
    google.behaviour.account = account
    const again = await visitGoogle(ada, 'google-gmail')
    await ada.post('/api/integration/callback/gmail', { code: again.code, state: again.state })
  })

  it('leads to the sign-in again when Google accepts no token, until a call works', async () => {
    gmail.fail({ method: 'gmail.users.messages.list', response: 401, times: 2 })
    const { messages } = await sendWithCall('search_messages', { query: '' })
    const reason = 'Disconnect the account under Settings, Integrations, and connect it again.'
    expect(messages[2]).toMatchObject({
      outcome: { status: 'authorization_needed' },
      content: expect.stringContaining(reason),
    })
    const failed = { status: 'failed', error_message: expect.stringContaining(reason) }
    expect((await list()).find(({ name }) => name === 'Gmail')).toMatchObject(failed)
    const connecting = await ada.post('/api/mcp-server/Gmail/connect')
    expect(connecting.json()).toMatchObject({
      authorization_url: expect.stringContaining('/settings/integrations'),
    })
    expect((await list()).find(({ name }) => name === 'Gmail')).toMatchObject(failed)
    const again = await sendWithCall('search_messages', { query: '' })
    expect(again.messages[2]).toMatchObject({ outcome: { status: 'done' } })
    expect((await list()).find(({ name }) => name === 'Gmail')).toMatchObject({ status: 'connected' })
  })

  it('is reported as ended in the chat when Google has ended it, until the user connects again', async () => {
    google.grants.endAll()
    const { chatId, messages } = await sendWithCall('search_messages', { query: '' })
    expect(messages).toMatchObject([
      { role: 'user', content: 'What is new?' },
      { server: 'Gmail', tool: 'search_messages' },
      { outcome: { status: 'authorization_needed' }, content: expect.stringContaining('Connect it again') },
      { content: 'That is all.' },
    ])
    expect((await ada.readChat(chatId)).messages).toEqual(messages)
    expect((await ada.get('/api/integrations')).json()).toMatchObject([
      { connected: false, notice: expect.stringContaining('Google has ended this connection') },
    ])
    const again = await sendWithCall('search_messages', { query: '' })
    expect(again.messages[2]).toMatchObject({ outcome: { status: 'authorization_needed' } })
    const { code, state } = await visitGoogle(ada, 'google-gmail')
    await ada.post('/api/integration/callback/gmail', { code, state })
    const { messages: after } = await sendWithCall('search_messages', { query: '' })
    expect(after[2]).toMatchObject({ outcome: { status: 'done' } })
  })

  it('ends when the user disconnects, and Gmail is no longer offered', async () => {
    await ada.post('/api/integration/disconnect/google-gmail')
    expect((await list()).map(({ name }) => name)).toEqual(['default'])
    const { messages } = await sendWithCall('search_messages', { query: '' })
    expect(offeredTools()).not.toContain('gmail')
    expect(messages[2]).toMatchObject({ outcome: { status: 'failed' } })
  })
})

import type { ToolConfirmRequest } from '@yonder/contract/completion'
import { ConnectResult } from '@yonder/contract/connector'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ChatClient } from '../testing/chat/open-chat-app.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../testing/chat/open-tool-app.ts'
import { engines } from '../testing/database/test-database.ts'
import { connectGoogle } from '../testing/google-stand-in/connect-google.ts'
import { startGoogleStandIn, type GoogleStandIn } from '../testing/google-stand-in/start-google-stand-in.ts'
import { createGmailApi } from '../testing/google/gmail-api.ts'
import { startOAuthMcpServer, type OAuthMcpServer } from '../testing/mcp/oauth-mcp-server.ts'

const refused = expect.stringMatching(/since approval was requested|was deleted before the call/) as string

describe.each(engines)('an approval of a call whose connector has changed, on %s', (engine) => {
  let product: ToolApp
  let google: GoogleStandIn
  let oauth: OAuthMcpServer
  let ada: ChatClient
  const gmail = createGmailApi()

  beforeAll(async () => {
    google = await startGoogleStandIn({ apis: [gmail] })
    oauth = await startOAuthMcpServer()
    product = await openToolApp({ engine, environment: google.environment })
  })
  beforeEach(async () => {
    ada = await product.join()
  })
  afterAll(async () => {
    await product.close()
    await oauth.close()
    await google.close()
  })

  /** Creates a chat with a call that needs approval. */
  async function requestCall(connector: string, tool: string, args: object = {}) {
    product.model.reply([callOf(connector, tool, args)])
    const chatId = await ada.newChat()
    const stream = await ada.send(chatId, 'Do it')
    await stream.ended
    return waitingCall(chatId, stream)
  }

  async function confirm(call: ToolConfirmRequest) {
    product.model.reply(['Then something else.'])
    const confirmed = await ada.confirm(call)
    await confirmed.ended
    expect(confirmed.text).toBe('Then something else.')
    const chat = await ada.readChat(call.chatId ?? '')
    expect(chat.messages).toEqual(confirmed.run.messages)
    return chat.messages[2]
  }

  async function expectRefused(call: ToolConfirmRequest): Promise<void> {
    expect(await confirm(call)).toMatchObject({
      content: refused,
      outcome: { status: 'failed', duration: 0 },
    })
    expect(await product.listRecords(ada)).toEqual([])
  }

  describe('of a server without consent', () => {
    const path = '/api/mcp-server/polite'
    const change = (fields: object) =>
      ada.put(path, { name: 'polite', url: product.mcpServer.url('polite'), allow_tools: [], ...fields })
    const changeUrl = async (url: string) => {
      await change({ url })
      await ada.post(`${path}/connect`)
    }

    const changes: [string, () => Promise<unknown>][] = [
      [
        'was deleted and added again',
        async () => {
          await ada.delete(path)
          await product.connect(ada, 'polite')
        },
      ],
      ['has another address', () => changeUrl(`${product.mcpServer.url('polite')}?other`)],
      [
        'has its earlier address again',
        async () => {
          await changeUrl(`${product.mcpServer.url('polite')}?other`)
          await changeUrl(product.mcpServer.url('polite'))
        },
      ],
      ['has another token', () => change({ token: 'another' })],
      ['has another client', () => change({ client_id: 'another', client_secret: 'secret' })],
    ]

    it.each(changes)('is refused and requested again when it %s', async (_, happens) => {
      await product.connect(ada, 'polite')
      const call = await requestCall('polite', 'act')
      await happens()
      const before = await product.countCalls('polite')
      await expectRefused(call)
      expect(await product.countCalls('polite')).toBe(before)
      expect(await confirm(await requestCall('polite', 'act'))).toMatchObject({ outcome: { status: 'done' } })
      expect(await product.countCalls('polite')).toBe(before + 1)
    })

    it('is refused when the new connector of the same name allows all tools', async () => {
      await product.connect(ada, 'polite')
      const call = await requestCall('polite', 'act')
      await ada.delete(path)
      await product.connect(ada, 'polite', { allow_tools: null })
      const before = await product.countCalls('polite')
      await expectRefused(call)
      expect(await product.countCalls('polite')).toBe(before)
    })

    it.each(changes)('allows no tool for all later calls when it %s', async (_, happens) => {
      await product.connect(ada, 'polite')
      const call = await requestCall('polite', 'act')
      const shown = (await ada.readChat(call.chatId ?? '')).messages[1]?.call
      const { fingerprint = '', credential } = shown ?? {}
      const tools = [{ name: 'act', permission: 'allow', fingerprint }]
      await happens()
      const read = async () => (await ada.get('/api/mcp-servers')).json<unknown>()
      const before = await read()
      const response = await ada.patch(path, { tools, credential })
      expect(response).toMatchObject({ statusCode: 409, body: refused })
      expect(await read()).toEqual(before)
    })

    it('runs when only its name on the list of allowed tools has changed (§4.20)', async () => {
      await product.connect(ada, 'polite')
      const call = await requestCall('polite', 'act')
      await change({ allow_tools: ['other'] })
      expect(await confirm(call)).toMatchObject({ outcome: { status: 'done' } })
    })

    it('is refused when the call was stored without its connector and credential', async () => {
      await product.connect(ada, 'polite')
      const call = await requestCall('polite', 'act')
      const { db } = product.database
      const at = { chat_id: call.chatId ?? '', id: call.messageId ?? '' }
      const row = await db
        .selectFrom('messages')
        .select('call')
        .where('chat_id', '=', at.chat_id)
        .where('id', '=', at.id)
        .executeTakeFirstOrThrow()
      const { credential, ...stored } = JSON.parse(row.call ?? '') as { credential: string }
      expect(credential).not.toBe('')
      await db
        .updateTable('messages')
        .set({ call: JSON.stringify(stored) })
        .where('chat_id', '=', at.chat_id)
        .where('id', '=', at.id)
        .execute()
      const before = await product.countCalls('polite')
      await expectRefused(call)
      expect(await product.countCalls('polite')).toBe(before)
    })
  })

  describe('that needs consent', () => {
    const startConsent = () => ada.post('/api/mcp-server/Guarded/connect')

    async function finishConsent(response: Awaited<ReturnType<typeof startConsent>>): Promise<void> {
      const { authorization_url } = ConnectResult.parse(response.json())
      const redirect = await fetch(authorization_url ?? '', { redirect: 'manual' })
      const { pathname, search } = new URL(redirect.headers.get('location') ?? '')
      const cookie = String(response.headers['set-cookie']).split(';')[0] ?? ''
      const headers = { host: 'localhost:3000', cookie }
      const back = await product.app.inject({ url: pathname + search, headers })
      expect(back.headers.location).toContain('authorization=connected')
    }

    const consent = async () => finishConsent(await startConsent())

    it('is refused when the user has consented again, as any account', async () => {
      await ada.post('/api/mcp-server', { name: 'Guarded', url: oauth.url, allow_tools: [] })
      await consent()
      const call = await requestCall('guarded', 'secret')
      // The server refuses the tokens, so that the user consents again.
      oauth.behaviour.revoked = true
      const response = await startConsent()
      oauth.behaviour.revoked = false
      await finishConsent(response)
      const before = oauth.bearers.length
      await expectRefused(call)
      expect(oauth.bearers.slice(before)).toEqual([])
      expect(await confirm(await requestCall('guarded', 'secret'))).toMatchObject({ content: 'the secret' })
    })

    it('runs when only the tokens were refreshed', async () => {
      oauth.behaviour.accessTokenLifeS = 20
      await ada.post('/api/mcp-server', { name: 'Guarded', url: oauth.url, allow_tools: [] })
      await consent()
      const call = await requestCall('guarded', 'secret')
      const before = oauth.tokenRequests.length
      expect(await confirm(call)).toMatchObject({ content: 'the secret', outcome: { status: 'done' } })
      expect(oauth.tokenRequests.slice(before)).toContain('refresh_token')
      oauth.behaviour.accessTokenLifeS = 3_600
    })
  })

  describe('of an integration', () => {
    const email = { to: ['ann@example.com'], subject: 'Lunch', body: 'At noon?' }

    it('is refused when the integration was connected as another account', async () => {
      google.behaviour.account = 'ada@example.com'
      await connectGoogle(ada, 'google-gmail')
      const call = await requestCall('gmail', 'send_message', email)
      await ada.post('/api/integration/disconnect/google-gmail')
      google.behaviour.account = 'eve@example.com'
      await connectGoogle(ada, 'google-gmail')
      await expectRefused(call)
      for (const account of ['ada@example.com', 'eve@example.com'])
        expect(gmail.mailbox(account).sent).toEqual([])
      expect(gmail.count('gmail.users.drafts.create')).toBe(0)
    })
  })
})

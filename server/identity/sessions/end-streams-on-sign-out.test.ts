import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectionKey } from '../../connectors/mcp/connection-pool.ts'
import type { SseStream } from '../../http/sse.ts'
import { createChatClient } from '../../testing/chat/open-chat-app.ts'
import { openLiveStream } from '../../testing/chat/open-live-stream.ts'
import { callOf, openToolApp, waitingCall, type ToolApp } from '../../testing/chat/open-tool-app.ts'
import { startHostileServer } from '../../testing/hostile-mcp/start-hostile-server.ts'
import type { TestIdentity } from '../../testing/identity/test-identity.ts'
import { openTestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { endStreamsOnSignOut } from './end-streams-on-sign-out.ts'

describe('signing out', () => {
  let product: ToolApp | undefined
  afterEach(async () => {
    vi.useRealTimers()
    await product?.close()
    product = undefined
  })

  it('ends every open stream of that session at once, but neither replies nor the streams of another session', async () => {
    product = await openToolApp()
    const { base, model } = product
    const identity = product.deps.identity as TestIdentity
    const ada = await product.join()
    const otherSession = { ...ada.headers, authorization: `Bearer ${identity.signInAgain(ada.user)}` }
    await product.connect(ada, 'polite')
    const gate = model.gate()
    model.reply([callOf('polite', 'act')])
    const toolChatId = await ada.newChat()
    const toolRun = await ada.send(toolChatId, 'Call')
    await toolRun.ended
    model.reply(['Before', gate, ' after', { finish: 'stop' }])
    model.reply(['Before', gate, ' after', { finish: 'stop' }])
    const chatId = await ada.newChat()
    const sent = await ada.send(chatId, 'Hi')
    await sent.until(({ text }) => text === 'Before')
    const confirmedRun = await ada.confirm(waitingCall(toolChatId, toolRun))
    await confirmedRun.until(({ text }) => text === 'Before')
    const own = [sent, confirmedRun, await ada.follow(chatId), await openLiveStream(base, ada.headers)]
    const other = await openLiveStream(base, otherSession)

    identity.signOut(ada.headers['authorization']?.replace('Bearer ', '') ?? '', 'here')
    for (const stream of own) await stream.ended
    gate.open()
    for (const id of [chatId, toolChatId])
      await other.until(() => other.runEvents(id).at(-1)?.event.type === 'ended')
    const reader = createChatClient(base, { ...ada, headers: otherSession })
    for (const id of [chatId, toolChatId]) {
      const reply = (await reader.readChat(id)).messages.at(-1)
      expect(reply).toMatchObject({ content: 'Before after', status: 'complete' })
    }
    other.leave()
  })

  it('ends the streams of other nodes within two seconds after the database can be read', async () => {
    vi.useFakeTimers()
    const listEnded = vi
      .fn<() => Promise<string[]>>()
      .mockRejectedValueOnce(new Error('The database cannot be read.'))
    listEnded.mockResolvedValue(['first'])
    const errors: unknown[] = []
    const sessions = { idOf: () => null, listEnded, onEnd: () => undefined }
    const streams = endStreamsOnSignOut({ sessions, listDisabledUsers: async () => [] }, (error) =>
      errors.push(error),
    )
    const open = (sessionId: string) => {
      const stream = { end: vi.fn<() => void>(), onClose: () => undefined } as unknown as SseStream
      streams.track({ sessionId, user: null } as Parameters<typeof streams.track>[0], stream)
      return stream
    }
    const [first, second] = [open('first'), open('second')]
    await vi.advanceTimersByTimeAsync(1_000)
    expect(errors).toHaveLength(1)
    expect(first.end).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(first.end).toHaveBeenCalled()
    expect(second.end).not.toHaveBeenCalled()
    await streams.close()
  })

  it('ends the streams of a user who is disabled within a second, without a provider that reports sessions', async () => {
    vi.useFakeTimers()
    const disabled: string[] = []
    const streams = endStreamsOnSignOut(
      { sessions: null, listDisabledUsers: async () => disabled },
      () => undefined,
    )
    const open = (id: string) => {
      const stream = { end: vi.fn<() => void>(), onClose: () => undefined } as unknown as SseStream
      streams.track({ sessionId: null, user: { id } } as Parameters<typeof streams.track>[0], stream)
      return stream
    }
    const [ada, grace] = [open('ada'), open('grace')]
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ada.end).not.toHaveBeenCalled()
    disabled.push('ada')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ada.end).toHaveBeenCalled()
    expect(grace.end).not.toHaveBeenCalled()
    await streams.close()
  })

  it('makes no query to the database while no stream is open', async () => {
    vi.useFakeTimers()
    const listEnded = vi.fn<() => Promise<string[]>>().mockResolvedValue([])
    const sessions = { idOf: () => null, listEnded, onEnd: () => undefined }
    const streams = endStreamsOnSignOut({ sessions, listDisabledUsers: listEnded }, () => undefined)
    await vi.advanceTimersByTimeAsync(180_000)
    expect(listEnded).not.toHaveBeenCalled()
    await streams.close()
  })
})

it('signing out closes only the connections of that user', async () => {
  const server = await startHostileServer()
  const connectors = await openTestConnectors()
  try {
    const keys: string[] = []
    for (const id of ['ada', 'ada-2']) {
      await connectors.addUser(id)
      keys.push(connectionKey(await connectors.connect(id, { url: server.url('polite') })))
    }
    await connectors.closeIdle('ada')
    const [own, other] = keys.map((key) => connectors.shared.pool.acquire(key))
    expect(own).toBeUndefined()
    expect(other?.usable).toBe(true)
    await other?.close()
  } finally {
    await connectors.close()
    await server.close()
  }
})

import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { RunEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { beforeEach, describe, expect, it } from 'vitest'
import { ChatHearing } from './chat-hearing.ts'

const message = (id: string, parent: string | null, more: Partial<Message> = {}): Message => ({
  id,
  parent_id: parent,
  role: 'user',
  content: '',
  timestamp: '2026-01-01T00:00:00.000Z',
  unix_timestamp: 1,
  status: 'complete',
  ...more,
})
const reply = (more: Partial<Message> = {}) =>
  message('reply', 'question', { role: 'assistant', status: 'streaming', ...more })
const started = (parent: string | null = null): RunEvent => ({
  type: 'started',
  seq: 1,
  user_message: message('question', parent, { content: 'Hi' }),
  assistant_message: reply(),
})
const text = (seq: number, content: string): RunEvent => ({
  type: 'text',
  seq,
  choices: [{ delta: { content } }],
})
const chatWith = (messages: Message[], run: Chat['run'] = null): Chat => ({
  id: 'chat',
  messages,
  update_time: '',
  selected_message_id: messages.at(-1)?.id ?? null,
  run,
})

describe('a chat that hears', () => {
  let run: RunState | undefined
  let cached: Chat | undefined
  let refreshed: number
  let isShown: boolean
  let hearing: ChatHearing
  beforeEach(() => {
    run = undefined
    cached = chatWith([])
    refreshed = 0
    isShown = true
    hearing = new ChatHearing({
      isShown: () => isShown,
      getRun: () => run,
      getEnded: () => undefined,
      getCached: () => cached,
      advance: (next) => {
        run = next
      },
      begin: (next) => {
        run = next
      },
      refresh: () => {
        refreshed += 1
      },
    })
  })
  const shown = () => textOfContent(run?.messages.at(-1)?.content ?? '')

  it('follows a run that began elsewhere, each event once', () => {
    hearing.hear('reply', started())
    for (const event of [text(2, 'a'), text(2, 'a'), started(), text(3, 'b')]) hearing.hear('reply', event)
    expect(shown()).toBe('ab')
    expect(hearing.liveId).toBe('reply')
    expect(refreshed).toBe(0)
  })

  it('reads the chat again when an event is missing, and applies what came meanwhile', async () => {
    hearing.hear('reply', started())
    hearing.hear('reply', text(4, 'c'))
    expect([refreshed, shown()]).toEqual([1, ''])
    let answer: (chat: Chat) => void = () => undefined
    const reading = hearing.whileReading(
      () => new Promise((resolve) => (answer = resolve)),
      (chat) => {
        expect(hearing.isOutdated(chat)).toBe(true)
        run = { seq: chat.run?.seq ?? 0, status: 'running', messages: chat.messages }
      },
    )
    for (const event of [text(4, 'c'), text(5, 'd')]) hearing.hear('reply', event)
    expect(refreshed).toBe(1)
    answer(chatWith([message('question', null), reply({ content: 'ab' })], { message_id: 'reply', seq: 3 }))
    await reading
    expect([shown(), refreshed]).toEqual(['abcd', 1])
  })

  it('reads the chat again when a message hangs under one that this page does not know', () => {
    hearing.hear('reply', started('unknown'))
    expect(refreshed).toBe(1)
    expect(hearing.liveId).toBe('reply')
  })

  it('leaves a run alone that has a stream of its own', () => {
    run = { seq: 3, status: 'running', messages: [message('question', null), reply({ content: 'own' })] }
    for (const event of [started(), text(4, ' copy'), text(9, ' copy')]) hearing.hear('reply', event)
    hearing.catchUp({ chatId: 'chat', messageId: 'reply', seq: 9 }, true)
    expect([shown(), refreshed]).toEqual(['own', 0])
  })

  it('ignores what comes late of a reply that it has whole', () => {
    cached = chatWith([message('question', null), reply({ status: 'complete', content: 'all' })])
    hearing.hear('reply', text(7, 'late'))
    hearing.hear('reply', started())
    expect([run, refreshed]).toEqual([undefined, 0])
  })

  it('catches up with a new stream only where something may have been missed', () => {
    hearing.catchUp(undefined, false)
    expect(refreshed).toBe(0)
    hearing.catchUp(undefined, true)
    expect(refreshed).toBe(1)
    hearing.hear('reply', started())
    hearing.catchUp({ chatId: 'chat', messageId: 'reply', seq: 1 }, true)
    expect(refreshed).toBe(1)
    hearing.catchUp({ chatId: 'chat', messageId: 'reply', seq: 2 }, false)
    hearing.catchUp(undefined, false)
    expect(refreshed).toBe(3)
  })

  it('keeps a run that began after the chat was read', () => {
    hearing.hear('reply', started())
    expect(hearing.isOutdated(chatWith([]))).toBe(false)
    const ended = chatWith([message('question', null), reply({ status: 'complete' })])
    expect(hearing.isOutdated(ended)).toBe(true)
  })

  describe('of a call that was allowed elsewhere', () => {
    const call = (state: 'waiting' | 'running' | 'answered') =>
      reply({ status: 'complete', server: 'default', tool: 'calculate', call: { state } })
    const allowed: RunEvent = {
      type: 'started',
      seq: 1,
      user_message: message('question', null),
      assistant_message: call('running'),
    }

    it('follows its run, though the reply was finished before', () => {
      cached = chatWith([message('question', null), call('waiting')])
      hearing.hear('reply', started())
      expect(run).toBeUndefined()
      hearing.hear('reply', allowed)
      expect(run?.messages.at(-1)?.call?.state).toBe('running')
      expect([hearing.liveId, refreshed]).toEqual(['reply', 0])
    })

    it('ignores what comes late of a run that it has whole', () => {
      cached = chatWith([message('question', null), call('answered')])
      hearing.hear('reply', allowed)
      hearing.hear('reply', text(5, 'late'))
      expect([run, refreshed]).toEqual([undefined, 0])
    })

    it('keeps the run when a chat comes that was read before the call was allowed', () => {
      cached = chatWith([message('question', null), call('waiting')])
      hearing.hear('reply', allowed)
      expect(hearing.isOutdated(cached)).toBe(false)
      expect(hearing.isOutdated(chatWith([message('question', null), call('answered')]))).toBe(true)
    })

    it('takes up a chat in which the call waits, when the end of the run that led to it was missed', () => {
      hearing.hear('reply', started())
      expect(hearing.isOutdated(chatWith([message('question', null), call('waiting')]))).toBe(true)
    })
  })

  it('does nothing for a chat that nobody looks at, or that holds a change of its own', () => {
    const release = hearing.hold()
    hearing.readAgain()
    expect(refreshed).toBe(0)
    release()
    hearing.readAgain()
    expect(refreshed).toBe(1)
    isShown = false
    hearing.readAgain()
    hearing.hear('reply', started())
    hearing.catchUp({ chatId: 'chat', messageId: 'reply', seq: 2 }, true)
    expect([run, refreshed]).toEqual([undefined, 1])
  })
})

import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { RunEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { describe, expect, it, test } from 'vitest'
import { makeChat, makeMessage } from '../../../testing/wire-objects.ts'
import { reduceSession } from './session-reducer.ts'
import {
  activeRun,
  createView,
  initialState,
  type Activity,
  type SessionAction,
  type SessionState,
} from './session-state.ts'

const message = (id: string, parent: string | null, more: Partial<Message> = {}) =>
  makeMessage(id, parent, { content: '', ...more })
const question = message('question', null, { content: 'Hi' })
const reply = (more: Partial<Message> = {}) =>
  message('reply', 'question', { role: 'assistant', status: 'streaming', ...more })
const callIn = (state: 'waiting' | 'running' | 'answered') =>
  reply({ status: 'complete', server: 'default', tool: 'calculate', call: { state } })

const started = (parent: string | null = null, more: Partial<Message> = {}): RunEvent => ({
  type: 'started',
  seq: 1,
  user_message: { ...question, parent_id: parent },
  assistant_message: reply(more),
})
const text = (seq: number, content: string): RunEvent => ({
  type: 'text',
  seq,
  choices: [{ delta: { content } }],
})
const ended = (seq: number): RunEvent => ({ type: 'ended', seq, status: 'complete' })
const live = (event: RunEvent, replyId = 'reply'): SessionAction => ({ type: 'live_event', replyId, event })
const ready = (seq: number | undefined, mayHaveMissed: boolean): SessionAction => ({
  type: 'live_ready',
  run: seq === undefined ? undefined : { chatId: 'chat', messageId: 'reply', seq },
  mayHaveMissed,
})
const chatWith = (messages: Message[], run: Chat['run'] = null) => makeChat(messages, { id: 'chat', run })
const read = (chat: Chat, isLive = true): SessionAction => ({ type: 'read', chat, isLive })
const expectedRun: RunState = {
  seq: 0,
  status: 'running',
  messages: [question, message('expected', 'question', { role: 'assistant', status: 'streaming' })],
}
const requested: SessionAction = { type: 'requested', run: expectedRun }
const own = (event: RunEvent): SessionAction => ({ type: 'event', event })

const apply = (state: SessionState, ...actions: SessionAction[]) =>
  actions.reduce((s, a) => reduceSession(s, a), state)
const empty = apply(initialState, read(chatWith([])))
const after = (...actions: SessionAction[]) => apply(empty, ...actions)
const shown = (state: SessionState) => textOfContent(activeRun(state)?.run.messages.at(-1)?.content ?? '')

describe('the phase of a session', () => {
  type Phase = Activity['phase']
  const phases: Readonly<Record<Phase, SessionState>> = {
    idle: empty,
    sending: after(requested),
    streaming: after(requested, own(started())),
    following: after(live(started())),
    stopping: after(requested, own(started()), { type: 'stop_requested' }),
  }
  const order: readonly Phase[] = ['idle', 'sending', 'streaming', 'following', 'stopping']

  // The phase after the action, from idle, sending, streaming, following and stopping.
  const steps: readonly (readonly [string, SessionAction, readonly Phase[]])[] = [
    ['a request', requested, ['sending', 'sending', 'streaming', 'following', 'stopping']],
    ['the first event', own(started()), ['idle', 'streaming', 'streaming', 'following', 'stopping']],
    ['a further event', own(text(2, 'a')), ['idle', 'streaming', 'streaming', 'following', 'stopping']],
    ['the last event', own(ended(2)), ['idle', 'idle', 'idle', 'idle', 'idle']],
    ['a run that was left', { type: 'left' }, ['idle', 'idle', 'idle', 'idle', 'idle']],
    ['a run that was dropped', { type: 'dropped' }, ['idle', 'idle', 'idle', 'idle', 'idle']],
    [
      'a request to stop',
      { type: 'stop_requested' },
      ['idle', 'stopping', 'stopping', 'stopping', 'stopping'],
    ],
    [
      'a stop that failed',
      { type: 'stop_failed', notice: { text: 'No.' } },
      ['idle', 'sending', 'streaming', 'following', 'streaming'],
    ],
    [
      'a broken connection',
      { type: 'connection', isConnected: false },
      ['idle', 'sending', 'streaming', 'following', 'stopping'],
    ],
    ['the reason why the run will end', { type: 'ending', reason: 'Full.' }, order],
    ['a chat that was read without a run', read(chatWith([])), order],
    ['a read that failed', { type: 'read_failed', error: new Error('No.') }, order],
    ['a read that began', { type: 'read_started' }, order],
    ['a missed update', { type: 'outdated' }, order],
    ['a first live event', live(started()), ['following', 'sending', 'streaming', 'following', 'stopping']],
    ['a later live event', live(text(9, 'z')), order],
    ['live updates that begin', ready(9, true), order],
    ['a live change', { type: 'live_changed' }, order],
    ['live updates that are lost', { type: 'live_state', state: 'lost' }, order],
    [
      'the end of live updates',
      { type: 'live_state', state: 'unavailable' },
      ['idle', 'sending', 'streaming', 'streaming', 'stopping'],
    ],
    [
      'live updates that are held back',
      { type: 'live_state', state: 'held' },
      ['idle', 'sending', 'streaming', 'streaming', 'stopping'],
    ],
    ['a closed chat that is forgotten', { type: 'forgotten' }, ['idle', 'idle', 'idle', 'idle', 'idle']],
    ['a message that was not sent', { type: 'unsent', unsent: undefined }, order],
    ['a branch', { type: 'branch_selected', messageId: 'x' }, order],
    ['a branch that was saved', { type: 'branch_saved', isLast: true }, order],
  ]
  test.each(steps)('after %s', (_name, action, expected) => {
    expect(order.map((phase) => reduceSession(phases[phase], action).activity.phase)).toEqual(expected)
  })
})

describe('a run that this page requested', () => {
  const streaming = after(requested, own(started()))

  it('shows the optimistic messages until the first event, and moves into the chat when it ends', () => {
    const sending = after(requested)
    expect(createView(sending).chat?.messages.map(({ id }) => id)).toEqual(['question', 'expected'])
    const done = apply(sending, own(started()), own(text(2, 'Hello')), own(ended(3)))
    expect(done.chat?.messages.map(({ id }) => id)).toEqual(['question', 'reply'])
    expect(done.chat?.selected_message_id).toBe('reply')
    expect(done.endedReply?.content).toBe('Hello')
    expect(done.isOutdated).toBe(false)
  })

  it('applies no event twice, and counts an event of an unknown type', () => {
    const said = apply(streaming, own(text(2, 'a')))
    expect(reduceSession(said, own(text(2, 'a')))).toBe(said)
    for (const type of ['hologram', 'toString']) {
      const next = reduceSession(said, own({ type, seq: 3 } as never))
      expect(activeRun(next)?.run).toEqual({ ...activeRun(said)?.run, seq: 3 })
    }
  })

  it('ignores live updates and reads while its own stream is read', () => {
    const reading = apply(streaming, { type: 'read_started' })
    for (const update of [live(started()), live(text(4, ' copy')), live(text(9, ' copy'))])
      expect(reduceSession(reading, update)).toBe(reading)
    expect(reduceSession(streaming, ready(9, true))).toBe(streaming)
    const chat = chatWith([question, reply()], { message_id: 'reply', seq: 5 })
    expect(activeRun(reduceSession(reading, read(chat)))).toBe(activeRun(reading))
  })

  it('shows why it could not be stored, and loads the chat again after it was left', () => {
    const left = apply(streaming, own(text(2, 'Half')), { type: 'ending', reason: 'Full.' }, { type: 'left' })
    expect(left.notice).toEqual({ text: 'Full.' })
    expect(left.chat?.messages.at(-1)?.content).toBe('Half')
    expect(left.isOutdated).toBe(true)
  })

  it('ends with the read after it was left, unless the read shows that it goes on', () => {
    const left = apply(streaming, { type: 'ending', reason: 'Full.' }, { type: 'left' })
    const whole = read(chatWith([question, reply({ status: 'interrupted', content: 'Half' })]))
    const done = apply(left, whole)
    expect([textOfContent(done.endedReply?.content ?? ''), done.notice]).toEqual(['Half', { text: 'Full.' }])
    expect(apply(done, { type: 'outdated' }, whole).endedReply).toBe(done.endedReply)
    const resumed = apply(left, read(chatWith([question, reply()], { message_id: 'reply', seq: 5 })))
    expect([resumed.activity.phase, resumed.endedReply]).toEqual(['following', undefined])
    expect(apply(left, requested, own(started()), whole).endedReply).toBeUndefined()
  })

  it('removes its messages when it was not confirmed', () => {
    const unsent = {
      message: { id: 'q', parentId: null, content: 'Hi', botName: 'Owl' },
      failure: { text: 'Off.' },
    }
    const dropped = apply(after(requested), { type: 'dropped', unsent, notice: { text: 'No.' } })
    expect(dropped.chat).toBe(empty.chat)
    expect([dropped.unsent, dropped.notice]).toEqual([unsent, { text: 'No.' }])
    expect(apply(after(requested), { type: 'left' }).chat).toBe(empty.chat)
  })

  it('loads the chat again when a read began before the end of the run', () => {
    expect(apply(streaming, { type: 'read_started' }, own(ended(2))).isOutdated).toBe(true)
  })
})

describe('a run that was requested elsewhere', () => {
  const following = after(live(started()))

  it('is followed, each event once', () => {
    const state = apply(
      following,
      live(text(2, 'a')),
      live(text(2, 'a')),
      live(started()),
      live(text(3, 'b')),
    )
    expect(shown(state)).toBe('ab')
    expect(state.isOutdated).toBe(false)
  })

  it('loads the chat when an event is missing, and applies later events after the read', () => {
    const missed = apply(following, live(text(4, 'c')))
    expect([missed.isOutdated, shown(missed)]).toEqual([true, ''])
    const reading = apply(missed, { type: 'read_started' }, live(text(4, 'c')), live(text(5, 'd')))
    expect(reading.isOutdated).toBe(false)
    const chat = chatWith([question, reply({ content: 'ab' })], { message_id: 'reply', seq: 3 })
    const state = apply(reading, read(chat), ...reading.deferred)
    expect([shown(state), state.isOutdated]).toEqual(['abcd', false])
  })

  it('loads the chat when the parent is unknown, or the end of another run was missed', () => {
    expect(after(live(started('unknown'))).isOutdated).toBe(true)
    const next = apply(following, live(started(null, { id: 'next' }), 'next'))
    expect(next.activity).toMatchObject({ phase: 'following', replyId: 'next' })
    expect(next.isOutdated).toBe(true)
  })

  it('is not followed again when the chat contains all of it', () => {
    const whole = after(read(chatWith([question, reply({ status: 'complete', content: 'all' })])))
    expect(apply(whole, live(text(7, 'late')), live(started()))).toBe(whole)
  })

  it('loads the chat when live updates begin only if events may be missing', () => {
    expect(after(ready(undefined, false)).isOutdated).toBe(false)
    expect(after(ready(undefined, true)).isOutdated).toBe(true)
    expect(after(ready(2, false)).isOutdated).toBe(true)
    expect(apply(following, ready(1, true)).isOutdated).toBe(false)
    expect(apply(following, ready(2, false)).isOutdated).toBe(true)
    expect(apply(following, ready(undefined, false)).isOutdated).toBe(true)
    const reading = after({ type: 'read_started' }, ready(2, false))
    expect([reading.isOutdated, reading.deferred]).toEqual([false, [ready(2, false)]])
  })

  it('continues after an older read, and ends with one in which it has ended', () => {
    expect(activeRun(apply(following, read(chatWith([]))))).toBe(activeRun(following))
    const done = apply(following, read(chatWith([question, reply({ status: 'complete', content: 'all' })])))
    expect(done.activity.phase).toBe('idle')
    expect(done.endedReply?.content).toBe('all')
  })

  it('removes the unsent message when the server has stored it', () => {
    const unsent = {
      message: { id: 'question', parentId: null, content: 'Hi', botName: 'Owl' },
      failure: { text: 'Off.' },
    }
    expect(after({ type: 'unsent', unsent }, live(started())).unsent).toBeUndefined()
    expect(after({ type: 'unsent', unsent }, read(chatWith([question]))).unsent).toBeUndefined()
  })

  it.each([true, false])('is joined when its chat is opened, with live updates: %s', (isLive) => {
    const chat = chatWith([question, reply({ content: 'One' })], { message_id: 'reply', seq: 7 })
    const state = apply(initialState, read(chat, isLive))
    expect(state.activity.phase).toBe(isLive ? 'following' : 'streaming')
    expect([shown(state), activeRun(state)?.run.seq]).toEqual(['One', 7])
  })

  it('is disconnected while live updates are lost, and connected when they are open again', () => {
    const lost = apply(following, { type: 'live_state', state: 'lost' })
    expect(createView(lost).isConnected).toBe(false)
    expect(createView(apply(lost, { type: 'live_state', state: 'open' })).isConnected).toBe(true)
  })

  describe('after a call was approved there', () => {
    const allowed = live(started(null, callIn('running')))
    const waiting = chatWith([question, callIn('waiting')])

    it('is followed, though the reply was complete before', () => {
      const state = after(read(waiting))
      expect(apply(state, live(started()))).toBe(state)
      const running = apply(state, allowed)
      expect(activeRun(running)?.run.messages.at(-1)?.call?.state).toBe('running')
      expect(running.isOutdated).toBe(false)
    })

    it('is not followed again when the chat holds its result', () => {
      const state = after(read(chatWith([question, callIn('answered')])))
      expect(apply(state, allowed, live(text(5, 'late')))).toBe(state)
    })

    it('continues after a read from before the approval, and ends with one that holds the result', () => {
      const running = after(read(waiting), allowed)
      expect(activeRun(apply(running, read(waiting)))).toBe(activeRun(running))
      expect(apply(running, read(chatWith([question, callIn('answered')]))).activity.phase).toBe('idle')
    })

    it('ends with a read in which its call needs approval, when the end before that was missed', () => {
      expect(apply(following, read(waiting)).activity.phase).toBe('idle')
    })
  })
})

describe('a chat that is read again', () => {
  it('keeps the objects of unchanged messages, so that they are not rendered again', () => {
    const first = after(read(chatWith([question, reply({ status: 'complete', content: 'old' })])))
    const second = apply(
      first,
      read(chatWith([{ ...question }, reply({ status: 'complete', content: 'new' })])),
    )
    expect(second.chat?.messages[0]).toBe(first.chat?.messages[0])
    expect(second.chat?.messages[1]?.content).toBe('new')
  })

  it('keeps a branch that is being selected, and is read once more when the last one was saved', () => {
    const tree = chatWith([question, reply({ status: 'complete' }), message('next', 'reply')])
    const select: SessionAction = { type: 'branch_selected', messageId: 'question' }
    const selecting = apply(initialState, read({ ...tree, selected_message_id: 'reply' }), select, select)
    expect(selecting.chat?.selected_message_id).toBe('next')
    const changed = apply(
      selecting,
      { type: 'live_changed' },
      read({ ...tree, selected_message_id: 'reply' }),
    )
    expect([changed.chat?.selected_message_id, changed.isOutdated]).toEqual(['next', false])
    const first = apply(changed, { type: 'branch_saved', isLast: false })
    expect(first.isOutdated).toBe(false)
    expect(apply(first, { type: 'branch_saved', isLast: true })).toMatchObject({
      isOutdated: true,
      pendingSelections: 0,
    })
  })

  it('keeps the chat when a later read fails, and keeps the error until one succeeds', () => {
    const failed = after({ type: 'read_started' }, { type: 'read_failed', error: new Error('No.') })
    expect([failed.chat, failed.error?.message, failed.isReading]).toEqual([empty.chat, 'No.', false])
    expect(apply(failed, read(chatWith([]))).error).toBeUndefined()
  })
})

describe('the view of a session', () => {
  it('stays the same object while text grows, and changes when a message is added', () => {
    const state = after(requested, own(started()))
    const before = { state, view: createView(state) }
    const grown = apply(state, own(text(2, 'a')))
    expect(createView(grown, before)).toBe(before.view)
    const next = apply(grown, own({ type: 'reply', seq: 3, assistant_message: reply({ id: 'second' }) }))
    const view = createView(next, before)
    expect([...view.runMessageIds]).toEqual(['question', 'reply', 'second'])
    expect(view.chat?.messages.at(-1)?.id).toBe('second')
  })
})

test('a changed summary is replaced, a removed one disappears, and a read in progress is repeated', () => {
  const compaction = {
    id: 's1',
    message_id: 'question',
    message_count: 1,
    content: 'Before.',
    bot: 'Owl',
    model: 'owl-1',
    edited: false,
    time: new Date(0).toISOString(),
  }
  const other = { ...compaction, id: 's0' }
  const shown = apply(initialState, read({ ...chatWith([question]), compactions: [other, compaction] }))
  const changed = { ...compaction, content: 'After.' }
  const after = apply(shown, { type: 'compaction_changed', id: 's1', compaction: changed })
  expect([after.chat?.compactions, after.isOutdated]).toEqual([[other, changed], false])
  const removed = apply(
    shown,
    { type: 'read_started' },
    { type: 'compaction_changed', id: 's1', compaction: undefined },
  )
  expect([removed.chat?.compactions, removed.isOutdated]).toEqual([[other], true])
})

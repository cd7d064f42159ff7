import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { RunEvent, StartedEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { describe, expect, it, test } from 'vitest'
import { makeChat, makeMessage } from '../../../testing/wire-objects.ts'
import {
  activeRun,
  createView,
  initialState,
  reduceSession,
  type Activity,
  type SessionAction,
  type SessionState,
} from './session-reducer.ts'

const message = (id: string, parent: string | null, more: Partial<Message> = {}) =>
  makeMessage(id, parent, { content: '', ...more })
const question = message('question', null, { content: 'Hi' })
const reply = (more: Partial<Message> = {}) =>
  message('reply', 'question', { role: 'assistant', status: 'streaming', ...more })
const callIn = (state: 'waiting' | 'running' | 'answered') =>
  reply({ status: 'complete', server: 'default', tool: 'calculate', call: { state } })

const started = (parent: string | null = null, more: Partial<Message> = {}): StartedEvent => ({
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
const live = (event: RunEvent, replyId = 'reply'): SessionAction => ({ type: 'event', replyId, event })
const ready = (seq: number | undefined, mayHaveMissed: boolean): SessionAction => ({
  type: 'ready',
  run: seq === undefined ? undefined : { chatId: 'chat', messageId: 'reply', seq },
  mayHaveMissed,
})
const chatWith = (messages: Message[], run: Chat['run'] = null) => makeChat(messages, { id: 'chat', run })
const read = (chat: Chat): SessionAction => ({ type: 'read', chat })
const expectedRun: RunState = {
  seq: 0,
  status: 'running',
  messages: [question, message('expected', 'question', { role: 'assistant', status: 'streaming' })],
}
const requested: SessionAction = { type: 'requested', run: expectedRun }
const accepted: SessionAction = { type: 'accepted', event: started() }

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
    running: after(requested, accepted),
    stopping: after(requested, accepted, { type: 'stop_requested' }),
  }
  const order: readonly Phase[] = ['idle', 'sending', 'running', 'stopping']
  const allIdle: readonly Phase[] = ['idle', 'idle', 'idle', 'idle']

  // The phase after the action, from idle, sending, running and stopping.
  const steps: readonly (readonly [string, SessionAction, readonly Phase[]])[] = [
    ['a request', requested, ['sending', 'sending', 'running', 'stopping']],
    ['the confirmation of a request', accepted, ['idle', 'running', 'running', 'stopping']],
    ['the first event', live(started()), ['running', 'running', 'running', 'stopping']],
    ['a further event', live(text(2, 'a')), order],
    ['a later event', live(text(9, 'z')), order],
    ['the last event', live(ended(2)), ['idle', 'sending', 'idle', 'idle']],
    ['a run that was dropped', { type: 'dropped' }, allIdle],
    ['a request to stop', { type: 'stop_requested' }, ['idle', 'stopping', 'stopping', 'stopping']],
    ['a stop that failed', { type: 'stop_failed', notice: 'No.' }, ['idle', 'running', 'running', 'running']],
    ['the reason why the run will end', { type: 'lost', replyId: 'reply', reason: 'Full.' }, order],
    ['a chat that was read without a run', read(chatWith([])), order],
    [
      'a chat that was read with the run',
      read(chatWith([question, reply()], { message_id: 'reply', seq: 5 })),
      ['running', 'running', 'running', 'stopping'],
    ],
    [
      'a chat that was read with the end of the run',
      read(chatWith([question, reply({ status: 'complete' })])),
      ['idle', 'sending', 'idle', 'idle'],
    ],
    ['a read that failed', { type: 'read_failed', error: new Error('No.') }, order],
    ['a read that began', { type: 'read_started' }, order],
    ['a missed event', { type: 'outdated' }, order],
    ['a live stream that begins', ready(9, true), order],
    ['a changed chat', { type: 'changed' }, order],
    ['a closed chat that is forgotten', { type: 'forgotten' }, allIdle],
    ['a message that was not sent', { type: 'unsent', unsent: undefined }, order],
    ['a branch', { type: 'branch_selected', messageId: 'x' }, order],
    ['a branch that was saved', { type: 'branch_saved' }, order],
  ]
  test.each(steps)('after %s', (_name, action, expected) => {
    expect(order.map((phase) => reduceSession(phases[phase], action).activity.phase)).toEqual(expected)
  })
})

describe('a run that this page requested', () => {
  const running = after(requested, accepted)

  it('shows the optimistic messages until it is confirmed, and moves into the chat when it ends', () => {
    const sending = after(requested)
    expect(createView(sending).chat?.messages.map(({ id }) => id)).toEqual(['question', 'expected'])
    const done = apply(sending, accepted, live(text(2, 'Hello')), live(ended(3)))
    expect(done.chat?.messages.map(({ id }) => id)).toEqual(['question', 'reply'])
    expect(done.chat?.selected_message_id).toBe('reply')
    expect(done.endedReply?.content).toBe('Hello')
    expect(done.isOutdated).toBe(false)
  })

  it('applies no event twice, and counts an event of an unknown type', () => {
    const said = apply(running, live(text(2, 'a')))
    for (const repeated of [live(started()), live(text(2, 'a')), accepted])
      expect(reduceSession(said, repeated)).toBe(said)
    for (const type of ['hologram', 'toString']) {
      const next = reduceSession(said, live({ type, seq: 3 } as never))
      expect(activeRun(next)?.run).toEqual({ ...activeRun(said)?.run, seq: 3 })
    }
  })

  it('is confirmed by its first event or by a read, if the response is late or lost', () => {
    const early = after(requested, live(started()), live(text(2, 'a')))
    expect([early.activity.phase, shown(early)]).toEqual(['running', 'a'])
    expect(reduceSession(early, accepted)).toBe(early)
    const chat = chatWith([question, reply({ content: 'One' })], { message_id: 'reply', seq: 7 })
    const joined = after(requested, read(chat))
    expect([joined.activity.phase, shown(joined), activeRun(joined)?.number]).toEqual(['running', 'One', 1])
  })

  it('is not confirmed by the run of another message, whose events wait for the response', () => {
    const other = { ...started(null, { id: 'other' }), user_message: { ...question, id: 'another' } }
    const waiting = after(requested, live(other, 'other'), live(text(2, 'a')))
    expect([waiting.activity.phase, waiting.isOutdated]).toEqual(['sending', false])
    expect(waiting.deferred).toEqual([live(other, 'other'), live(text(2, 'a'))])
    expect(apply(waiting, accepted).deferred).toEqual([])
    const chat = chatWith([{ ...question, id: 'another' }, reply({ id: 'other', parent_id: 'another' })])
    const kept = apply(waiting, read({ ...chat, run: { message_id: 'other', seq: 5 } }))
    expect(kept.activity).toBe(waiting.activity)
  })

  it('ends with the reason why it could not be stored, by its last event or by a read', () => {
    const lost = apply(running, live(text(2, 'Half')), { type: 'lost', replyId: 'reply', reason: 'Full.' })
    const whole = chatWith([question, reply({ status: 'interrupted', content: 'Half' })])
    for (const done of [apply(lost, live(ended(3))), apply(lost, read(whole))])
      expect([done.notice, textOfContent(done.endedReply?.content ?? '')]).toEqual(['Full.', 'Half'])
    expect(reduceSession(running, { type: 'lost', replyId: 'other', reason: 'Full.' })).toBe(running)
  })

  it('removes its messages when it was not confirmed', () => {
    const unsent = {
      message: { id: 'q', parentId: null, content: 'Hi', botName: 'Owl' },
      failure: { text: 'Off.' },
    }
    const dropped = apply(after(requested), { type: 'dropped', unsent, notice: 'No.' })
    expect(dropped.chat).toBe(empty.chat)
    expect([dropped.unsent, dropped.notice]).toEqual([unsent, 'No.'])
  })

  it('loads the chat again when a read began before the end of the run', () => {
    expect(apply(running, { type: 'read_started' }, live(ended(2))).isOutdated).toBe(true)
  })

  it('is replaced by a later run of the chat, but not by an earlier one', () => {
    const next = reply({ id: 'next', parent_id: 'more' })
    const run = { message_id: 'next', seq: 5 }
    const more = message('more', 'reply')
    const later = apply(running, read(chatWith([question, reply({ status: 'complete' }), more, next], run)))
    expect(activeRun(later)).toMatchObject({ phase: 'running', replyId: 'next', number: 2 })
    const earlier = apply(running, read(chatWith([more, next], run)))
    expect(earlier.activity).toBe(running.activity)
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
    expect(next.activity).toMatchObject({ phase: 'running', replyId: 'next' })
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
    expect(after(requested, ready(undefined, false)).isOutdated).toBe(false)
    expect(after(requested, ready(2, false)).isOutdated).toBe(true)
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

  it('is joined when its chat is opened', () => {
    const chat = chatWith([question, reply({ content: 'One' })], { message_id: 'reply', seq: 7 })
    const state = apply(initialState, read(chat))
    expect([state.activity.phase, shown(state), activeRun(state)?.run.seq]).toEqual(['running', 'One', 7])
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
    const changed = apply(selecting, { type: 'changed' }, read({ ...tree, selected_message_id: 'reply' }))
    expect([changed.chat?.selected_message_id, changed.isOutdated]).toEqual(['next', false])
    const first = apply(changed, { type: 'branch_saved' })
    expect(first.isOutdated).toBe(false)
    expect(apply(first, { type: 'branch_saved' })).toMatchObject({
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
    const state = after(requested, accepted)
    const before = { state, view: createView(state) }
    const grown = apply(state, live(text(2, 'a')))
    expect(createView(grown, before)).toBe(before.view)
    const next = apply(grown, live({ type: 'reply', seq: 3, assistant_message: reply({ id: 'second' }) }))
    const view = createView(next, before)
    expect([...view.runMessageIds]).toEqual(['question', 'reply', 'second'])
    expect(view.chat?.messages.at(-1)?.id).toBe('second')
  })

  it('counts what was written before a message that went into the run as complete', () => {
    const message = { ...question, id: 'steered', parent_id: 'result' }
    const result = { ...question, id: 'result', parent_id: 'reply', server: 'files', tool: 'read' }
    const steered = after(
      requested,
      accepted,
      live({ type: 'tool_result', seq: 2, role: 'user', content: '', message: result }),
      live({ type: 'message', seq: 3, message }),
    )
    expect([...createView(steered).runMessageIds]).toEqual(['steered'])
    const second = reply({ id: 'second', parent_id: 'steered' })
    const next = apply(steered, live({ type: 'reply', seq: 4, assistant_message: second }))
    const view = createView(next)
    expect([...view.runMessageIds]).toEqual(['steered', 'second'])
    const ids = ['question', 'reply', 'result', 'steered', 'second']
    expect(view.chat?.messages.map(({ id }) => id)).toEqual(ids)
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

import type { RunState } from '@yonder/contract/apply-event'
import type { RunEvent } from '@yonder/contract/completion'
import { describe, expect, it } from 'vitest'
import { judgeEvent } from './judge-event.ts'
import type { KnownRun } from './judge-event.ts'

const message = {
  id: 'reply',
  parent_id: null,
  role: 'assistant',
  content: '',
  timestamp: '',
  unix_timestamp: 1,
  status: 'streaming',
} as const
const started: RunEvent = { type: 'started', seq: 1, user_message: message, assistant_message: message }
const text = (seq: number): RunEvent => ({ type: 'text', seq, choices: [{ delta: { content: 'a' } }] })
const running = (seq: number): RunState => ({ seq, status: 'running', messages: [message] })
const idle: KnownRun = { run: undefined, liveId: undefined, isOver: () => false }
const live: KnownRun = { ...idle, run: running(4), liveId: 'reply' }

describe('an event of the live stream', () => {
  it('begins a run that nobody here asked for, once', () => {
    expect(judgeEvent(idle, 'reply', started)).toBe('begin')
    expect(judgeEvent({ ...idle, run: running(1), liveId: 'reply' }, 'reply', started)).toBe('ignore')
  })

  it('advances a run only by the very next event', () => {
    expect(judgeEvent(live, 'reply', text(4))).toBe('ignore')
    expect(judgeEvent(live, 'reply', text(5))).toBe('advance')
    expect(judgeEvent(live, 'reply', text(6))).toBe('reread')
  })

  it('is a copy where the run has a stream of its own', () => {
    const own: KnownRun = { ...idle, run: running(0) }
    expect(judgeEvent(own, 'reply', started)).toBe('ignore')
    expect(judgeEvent(own, 'reply', text(7))).toBe('ignore')
  })

  it('says nothing new about a reply that ended here, and much about one that was missed', () => {
    expect(judgeEvent({ ...idle, isOver: () => true }, 'reply', text(9))).toBe('ignore')
    expect(judgeEvent({ ...idle, isOver: () => true }, 'reply', started)).toBe('ignore')
    expect(judgeEvent(idle, 'reply', text(2))).toBe('reread')
    expect(judgeEvent(live, 'another', text(2))).toBe('reread')
    expect(judgeEvent(live, 'another', started)).toBe('begin')
  })
})

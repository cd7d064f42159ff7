import type { CompletionEvent } from '@yonder/contract/completion'
import type { LiveEvent } from '@yonder/contract/live'
import { expect, it } from 'vitest'
import { followRuns, wordsOf, type PageNotice } from './told-runs.ts'

const step = (event: object): LiveEvent => ({
  type: 'run',
  chatId: 'chat',
  messageId: 'reply',
  event: { seq: 1, ...event } as Extract<CompletionEvent, { seq: number }>,
})
const started = step({ type: 'started', assistant_message: { bot: 'Owl' } })
const ended = (status: string) => step({ type: 'ended', status })

/** Follows events, each with the seconds after which it comes, and returns what is told. */
function follow(...events: readonly (readonly [seconds: number, event: LiveEvent])[]): readonly PageNotice[] {
  const told: PageNotice[] = []
  let time = 0
  const listener = followRuns(
    (notice) => told.push(notice),
    () => time * 1_000,
  )
  for (const [seconds, event] of events) {
    time += seconds
    listener(event)
  }
  return told
}

it('tells of a reply that ends after half a minute, with its bot and the title of its chat', () => {
  const listed = {
    type: 'chats_listed',
    chats: [{ id: 'chat', title: 'Owls' }],
    gone: [],
  } as unknown as LiveEvent
  const told = follow([0, listed], [0, started], [30, ended('complete')])
  expect(told).toEqual([{ kind: 'reply_ended', chatId: 'chat', bot: 'Owl', title: 'Owls' }])
  expect(wordsOf(told[0]!, true)).toBe('Owl has answered in ‘Owls’')
  expect(wordsOf(told[0]!, false)).toBe('Owl has answered')
})

it('tells nothing of a short reply, nor of one that the user stopped', () => {
  expect(follow([0, started], [29, ended('complete')])).toEqual([])
  expect(follow([0, started], [40, ended('stopped')])).toEqual([])
})

it('tells of a failure and of an interruption at once', () => {
  expect(follow([0, started], [1, ended('failed')])).toMatchObject([{ kind: 'reply_failed' }])
  expect(follow([0, started], [1, ended('interrupted')])).toMatchObject([{ kind: 'reply_failed' }])
})

it('tells of a call that waits when its run ends, and of a question while it runs', () => {
  const call = (state: string) => step({ type: 'tool_call', call: { state } })
  expect(follow([0, started], [1, call('waiting')], [0, ended('complete')])).toMatchObject([
    { kind: 'call_asks' },
  ])
  expect(follow([0, started], [1, call('running')], [0, ended('complete')])).toEqual([])
  const question = (id: string | null) =>
    step({ type: 'tool_question', message_id: 'reply', question: id === null ? null : { id } })
  expect(follow([0, started], [1, question('q')], [1, question(null)])).toMatchObject([{ kind: 'call_asks' }])
})

it('counts the time of a run that began before the page from the beginning of the page', () => {
  const ready: LiveEvent = { type: 'ready', runs: [{ chatId: 'chat', messageId: 'reply', seq: 3 }] }
  expect(follow([0, ready], [30, ended('complete')])).toMatchObject([{ kind: 'reply_ended', bot: undefined }])
})

import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'
import type { ToolCall } from '@yonder/contract/tool-call'
import { expect, it } from 'vitest'
import { isEndedRun } from './is-ended-run.ts'

const reply = (state?: ToolCall['state'], id = 'first'): Message => ({
  id,
  parent_id: 'question',
  role: 'assistant',
  content: '',
  timestamp: '',
  unix_timestamp: 1,
  status: 'complete',
  ...(state === undefined ? {} : { call: { state } }),
})
const ended = (...messages: Message[]): RunState => ({ seq: 9, status: 'complete', messages })
const chat = (message: Message, run: Chat['run'] = { message_id: 'first', seq: 4 }): Chat => ({
  id: 'chat',
  messages: [message],
  update_time: '',
  selected_message_id: message.id,
  run,
})

it('tells a chat that was read during a run which has ended since, whatever the run has written after', () => {
  expect(isEndedRun(ended(reply('answered'), reply(undefined, 'second')), chat(reply('running')))).toBe(true)
  expect(isEndedRun(ended(reply()), chat(reply()))).toBe(true)
  expect(isEndedRun(ended(reply('waiting')), chat(reply()))).toBe(true)
  expect(isEndedRun(ended(reply('waiting')), chat(reply('waiting')))).toBe(true)
})

it('knows the run of a call that was allowed afterwards from the one that ended with it', () => {
  expect(isEndedRun(ended(reply('waiting')), chat(reply('running')))).toBe(false)
  expect(isEndedRun(ended(reply('waiting')), chat(reply('answered')))).toBe(false)
})

it('lets every other run be followed', () => {
  expect(isEndedRun(undefined, chat(reply()))).toBe(false)
  expect(isEndedRun(ended(reply()), chat(reply(), { message_id: 'second', seq: 1 }))).toBe(false)
  expect(isEndedRun(ended(reply()), chat(reply(), null))).toBe(false)
})

import type { Message } from '@yonder/contract/message'
import { expect, it } from 'vitest'
import { resumeRun } from './resume-run.ts'

const message = (id: string, parent: string | null, role: Message['role'] = 'assistant'): Message => ({
  id,
  parent_id: parent,
  role,
  content: '',
  timestamp: '',
  unix_timestamp: 1,
  status: 'complete',
})

it('goes on with everything that a run has written, and nothing of other branches', () => {
  const messages = [
    message('question', null, 'user'),
    message('other', 'question'),
    message('call', 'question'),
    message('other question', 'other', 'user'),
    message('result', 'call', 'user'),
    message('answer', 'result'),
  ]
  const chat = { id: 'chat', messages, update_time: '', selected_message_id: 'answer' }
  const run = resumeRun({ ...chat, run: { message_id: 'call', seq: 7 } })
  expect(run?.messages.map(({ id }) => id)).toEqual(['question', 'call', 'result', 'answer'])
  expect(run?.seq).toBe(7)
  expect(resumeRun({ ...chat, run: null })).toBeUndefined()
  expect(resumeRun({ ...chat, run: { message_id: 'gone', seq: 7 } })).toBeUndefined()
})

import type { UnnumberedEvent } from '@yonder/contract/completion'
import { expect, it } from 'vitest'
import type { PathMessage } from '../../chats/message-store.ts'
import type { ModelStream } from '../../models/model.ts'
import { botRow } from '../../testing/factories/bots.ts'
import { fitPrompt } from './fit-prompt.ts'

const message = (id: string, fields: Partial<PathMessage>): PathMessage => ({
  id,
  parent_id: null,
  role: 'user',
  content: '',
  status: 'complete',
  server: null,
  arguments: null,
  call_state: null,
  call: null,
  reasoning: null,
  left_out_tools: null,
  ...fields,
})

/** A model that writes a short summary. */
const summarizer: ModelStream = () => {
  let isRead = false
  return {
    drain: () => {
      if (isRead) return []
      isRead = true
      return [{ type: 'text', text: 'Short.' }]
    },
    closed: Promise.resolve(),
  }
}

function openFrame() {
  const events: UnnumberedEvent[] = []
  const frame = {
    chatId: 'chat',
    bot: botRow(),
    model: summarizer,
    recorder: { add: (event: UnnumberedEvent) => void events.push(event), flush: () => Promise.resolve() },
    signal: new AbortController().signal,
    startCall: () => () => undefined,
  }
  return { frame, events }
}

it('says how many of thousands of messages are left out', async () => {
  const { frame, events } = openFrame()
  const path = Array.from({ length: 2_500 }, (_, index) => message(`q${index}`, { content: 'Hello' }))
  const source = { path, summary: undefined, shortenBefore: 0, summaryFailed: true }
  await fitPrompt(frame, source, { tokens: 100_000, messages: 1_000 }, () => 1)
  expect(events).toEqual([
    { type: 'notice', notice: 'The model was called without the oldest 1,500 messages.' },
  ])
})

it('says what is left out after a summary, when the last turn alone is too long', async () => {
  const { frame, events } = openFrame()
  const path = [
    message('q1', { content: 'Tell me about the weather. '.repeat(20) }),
    message('a1', { role: 'assistant', content: 'It is fine.' }),
    message('q2', { content: 'Write a lot' }),
    message('a2', { role: 'assistant', content: 'x'.repeat(2_500_000) }),
    message('a3', { role: 'assistant', content: 'x'.repeat(2_500_000) }),
  ]
  const source = { path, summary: undefined, shortenBefore: 0 }
  const fitted = await fitPrompt(frame, source, { tokens: 1_000, messages: 1_000 }, () => 1)
  expect(fitted.summary?.content).toBe('Short.')
  expect(fitted.path.map(({ id }) => id)).toEqual(['q2', 'a2', 'a3'])
  expect(events.filter(({ type }) => type === 'notice')).toEqual([
    { type: 'notice', notice: 'The model was called without the oldest 2 messages after the summary.' },
  ])
})

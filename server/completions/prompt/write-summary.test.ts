import type { MessageContent } from '@yonder/contract/message'
import { expect, it } from 'vitest'
import { textOf, type ModelStream } from '../../models/model.ts'
import type { PromptMessage } from './build-prompt.ts'
import { writeSummary } from './write-summary.ts'

const message = (content: MessageContent): PromptMessage => ({
  id: 'm',
  role: 'user',
  content,
  server: null,
  arguments: null,
  call_state: null,
  call: null,
  reasoning: null,
})

/** A model that replies only when it is aborted. */
const silent: ModelStream = (_request, { signal }) => ({
  drain: () => [],
  closed: new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
})

function summarize(content: MessageContent, signal: AbortSignal, model = silent) {
  return writeSummary({
    model,
    modelName: 'm',
    maxTokens: null,
    previous: undefined,
    messages: [message(content)],
    summaryTokens: 100,
    callTokens: 1_000,
    signal,
    startCall: () => () => undefined,
  })
}

it('fails with the reason when the time limit has passed', async () => {
  expect(await summarize('Hello', AbortSignal.timeout(1))).toEqual({
    failure: 'The model took too long. Try again, or choose another bot.',
  })
})

it('fails with the reason when the messages have no text', async () => {
  expect(await summarize(' \n', new AbortController().signal)).toEqual({
    failure: 'There is no text to summarise.',
  })
})

it('is given the names of files', async () => {
  const aborted = new AbortController()
  let task = ''
  const file = { id: 'f', name: 'cat.png', type: 'image/png', size: 3 }
  await summarize([{ type: 'file', file }], aborted.signal, (request, options) => {
    task = request.messages.map(textOf).join()
    const reply = silent(request, options)
    aborted.abort()
    return reply
  })
  expect(task).toContain('[User]\n[The file "cat.png"')
})

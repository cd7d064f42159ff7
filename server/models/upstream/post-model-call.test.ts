import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { MockAgent } from 'undici'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { modelLimits } from '../adapter.ts'
import { postModelCall } from './post-model-call.ts'

/** The delays in milliseconds. They pass at once. */
const delays: number[] = []

// The exports of the module itself are replaced: `vi.mock` has no effect when another test file of the same worker has
// loaded `post-model-call.ts` before.
beforeEach(() => {
  delays.length = 0
  vi.spyOn(timers, 'setTimeout').mockImplementation(<T>(delay = 0, value?: T) => {
    delays.push(delay)
    return Promise.resolve(value as T)
  })
  syncBuiltinESMExports()
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

const modelCall = {
  url: new URL('http://model.example/'),
  headers: {},
  body: '{}',
  upstream: 'model.example',
  confidential: { key: null, contents: [] },
  source: '',
}

async function call(failure: 'a refused connection' | 'an error', maxRetryDelayMs: number): Promise<void> {
  const dispatcher = new MockAgent()
  dispatcher.disableNetConnect()
  const request = dispatcher.get('http://model.example').intercept({ path: '/', method: 'POST' })
  if (failure === 'an error') request.reply(503, '').times(3)
  else request.replyWithError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })).times(3)
  const { ended } = postModelCall(modelCall, {
    dispatcher,
    limits: { ...modelLimits, maxRetryDelayMs },
    signal: new AbortController().signal,
    onData: () => 'more',
  })
  await expect(ended).rejects.toMatchObject({ name: 'ModelFailure' })
  await dispatcher.close()
}

describe.each(['a refused connection', 'an error'] as const)('a call that fails with %s', (failure) => {
  it('waits 300 ms before the first retry and 600 ms before the second', async () => {
    await call(failure, 5_000)
    expect(delays).toEqual([300, 600])
  })

  it('waits no longer than the limit before a retry', async () => {
    await call(failure, 400)
    expect(delays).toEqual([300, 400])
  })
})

it('rejects with the error of the function that reads the response', async () => {
  const dispatcher = new MockAgent()
  dispatcher.disableNetConnect()
  dispatcher.get('http://model.example').intercept({ path: '/', method: 'POST' }).reply(200, 'data: {}\n\n')
  const defect = new TypeError('a defect of ours')
  const { ended } = postModelCall(modelCall, {
    dispatcher,
    limits: modelLimits,
    signal: new AbortController().signal,
    onData: () => {
      throw defect
    },
  })
  await expect(ended).rejects.toBe(defect)
  await dispatcher.close()
})

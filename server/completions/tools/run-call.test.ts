import type { UnnumberedEvent } from '@yonder/contract/completion'
import { describe, expect, it } from 'vitest'
import type { ToolCallRequest } from '../../connectors/calls/call-tool.ts'
import { failure, type ToolOutcome } from '../../connectors/calls/tool-call.ts'
import { PendingElicitations } from '../log/active-runs.ts'
import type { ToolInvocation } from '../run.ts'
import { runCall } from './run-call.ts'

const user = {
  id: 'ada',
  issuer: 'i',
  subject: 's',
  name: 'Ada',
  email: null,
  picture: null,
}
const call: ToolInvocation = {
  replyId: 'r',
  connectorId: 'c1',
  connectorName: 'c',
  toolName: 't',
  arguments: '{}',
  refusal: undefined,
  approval: 'once',
  decided: { messageId: 'r' },
  fingerprint: 'f',
  credential: 'c 1',
  remaining: { calls: [], total: 1 },
}
const done: ToolOutcome = { status: 'done', text: 'ok', parts: [], duration: 1, bytes: 2 }
const never = () => new Promise<never>(() => undefined)

function start(
  callTool: (request: ToolCallRequest) => Promise<ToolOutcome>,
  given: Partial<ToolInvocation> = {},
) {
  const controller = new AbortController()
  const elicitations = new PendingElicitations()
  const events: UnnumberedEvent[] = []
  const connectors = {
    callTool,
    listModelTools: never,
    checkArguments: never,
    resolveTool: never,
    resolveForCall: never,
    checkDefinition: never,
    recordDenial: never,
  }
  const outcome = runCall(
    { connectors },
    { ...call, ...given },
    {
      chatId: 'chat',
      botId: 'bot',
      user,
      signal: controller.signal,
      elicitations,
      onEvent: (event) => events.push(event),
    },
  )
  return { outcome, events, elicitations, abort: (reason: string) => controller.abort(reason) }
}

describe('running a call', () => {
  it('calls the decided tool with its approval, and returns the outcome', async () => {
    let called: ToolCallRequest | undefined
    const { outcome } = start((request) => {
      called = request
      return Promise.resolve(done)
    })
    expect(await outcome).toBe(done)
    expect(called).toMatchObject({
      fingerprint: 'f',
      credential: 'c 1',
      approval: 'once',
      decided: { messageId: 'r' },
      arguments: '{}',
      user: { id: 'ada' },
    })
  })

  it('calls no tool when the model invented it', async () => {
    let calls = 0
    const { outcome } = start(
      () => {
        calls += 1
        return Promise.resolve(done)
      },
      { refusal: failure('There is no tool named "t".') },
    )
    expect(await outcome).toMatchObject({ status: 'failed', text: 'There is no tool named "t".' })
    expect(calls).toBe(0)
  })

  it.each(['stopped', 'interrupted'])(
    'abandons a call that never ends after an abort as %s, and emits nothing more of it',
    async (reason) => {
      let late: ToolCallRequest | undefined
      const { outcome, events, abort } = start((request) => {
        late = request
        request.onSend?.()
        return never()
      })
      abort(reason)
      expect(await outcome).toMatchObject({
        status: reason,
        text: expect.stringContaining('may or may not have finished') as string,
      })
      late?.onProgress?.({ progress: 1, total: undefined, message: 'late' })
      expect(events).toEqual([])
    },
  )

  it.each(['stopped', 'interrupted'])(
    'says that a call was not made that was not sent before it was %s',
    async (reason) => {
      const { outcome, abort } = start(() => never())
      abort(reason)
      expect((await outcome).text).toContain('so the tool was not called.')
    },
  )

  it.each([
    [{ progress: -5, total: undefined, message: 'Working' }, { message: 'Working' }],
    [{ progress: Number.NaN, total: 3, message: 'Working' }, { message: 'Working' }],
    [{ progress: 3, total: 0, message: undefined }, { progress: 3 }],
    [{ progress: 3, total: -1, message: undefined }, { progress: 3 }],
    [{ progress: 3, total: Number.NaN, message: '' }, { progress: 3 }],
    [{ progress: 5, total: 3, message: undefined }, { progress: 5 }],
    [
      { progress: 0, total: 3, message: undefined },
      { progress: 0, total: 3 },
    ],
    [{ progress: -5, total: undefined, message: undefined }, undefined],
  ])('shows of odd progress what makes sense: %j', async (reported, progress) => {
    const { outcome, events } = start(({ onProgress }) => {
      onProgress?.(reported)
      return Promise.resolve(done)
    })
    await outcome
    expect(events).toEqual(
      progress === undefined ? [] : [{ type: 'tool_progress', message_id: 'r', progress }],
    )
  })

  it('emits the first and the latest of many progress updates, with cleaned text', async () => {
    const { outcome, events } = start(async ({ onProgress }) => {
      onProgress?.({ progress: Number.NaN, total: 1, message: ' ' })
      for (let at = 1; at <= 1_000; at++)
        onProgress?.({ progress: at, total: Infinity, message: `${at}\u202E\u{E0041}` })
      // The call ends only after the latest update was emitted.
      await expect.poll(() => events.length).toBe(2)
      return done
    })
    await outcome
    expect(events).toEqual([
      { type: 'tool_progress', message_id: 'r', progress: { progress: 1, message: '1' } },
      { type: 'tool_progress', message_id: 'r', progress: { progress: 1_000, message: '1000' } },
    ])
  })

  it('emits an elicitation, accepts one answer, and closes the elicitation', async () => {
    const question = { message: 'Who?', fields: [] }
    const answers: unknown[] = []
    const { outcome, events, elicitations } = start(async ({ onElicit }) => {
      answers.push(await onElicit?.(question, new AbortController().signal))
      return done
    })
    const event = events[0]
    if (event?.type !== 'tool_question' || event.question === null)
      throw new Error('no elicitation was emitted')
    expect(elicitations.isEmpty).toBe(false)
    elicitations.answer('another', { action: 'decline' })
    elicitations.answer(event.question.id, { action: 'accept', content: {} })
    elicitations.answer(event.question.id, { action: 'decline' })
    await outcome
    expect(answers).toEqual([{ action: 'accept', content: {} }])
    expect(events.at(-1)).toEqual({ type: 'tool_question', message_id: 'r', question: null })
    expect(elicitations.isEmpty).toBe(true)
  })

  it('cancels an elicitation that is not answered in time', async () => {
    const ends = new AbortController()
    const answers: unknown[] = []
    const { outcome, events } = start(async ({ onElicit }) => {
      const answer = onElicit?.({ message: 'Who?', fields: [] }, ends.signal)
      ends.abort()
      answers.push(await answer)
      return done
    })
    await outcome
    expect(answers).toEqual([{ action: 'cancel' }])
    expect(events.at(-1)).toMatchObject({ type: 'tool_question', question: null })
  })
})

import { describe, expect, it } from 'vitest'
import type { BatchCall, RemainingCalls } from '../../chats/tool-call-store.ts'
import type { RunStep, RunActions, ToolInvocation } from '../run.ts'
import { maxCalls, maxRounds, runCompletion } from './run-completion.ts'

const call = (id: string): BatchCall => ({ id, name: id, arguments: '{}' })
const complete = { status: 'complete' } as const

/** Creates actions that only record their names. The model makes these batches of calls and then replies. */
function listActions(
  batches: readonly (readonly string[])[],
  options: { readonly needsApproval?: string; readonly onDone?: (what: string) => void } = {},
) {
  const done: string[] = []
  const remainingBatches = [...batches]
  const add = (what: string): void => {
    done.push(what)
    options.onDone?.(what)
  }
  const actions: RunActions = {
    findLimitEnding: () => undefined,
    async callModel() {
      add('call model')
      return { ending: complete, calls: (remainingBatches.shift() ?? []).map(call) }
    },
    async dispatch({ calls: [first, ...others], total }) {
      const id = first?.id ?? ''
      add(`dispatch ${id}${others.length + 1 < total ? ' after' : ''}`)
      return options.needsApproval === id ? undefined : invocationOf(id, { calls: others, total })
    },
    async invoke({ toolName }) {
      add(`invoke ${toolName}`)
    },
    async openReply() {
      add('open reply')
    },
  }
  return { actions, done }
}

function invocationOf(toolName: string, remaining: RemainingCalls): ToolInvocation {
  return {
    replyId: 'r',
    connectorId: 'c1',
    connectorName: 'c',
    toolName,
    arguments: '{}',
    refusal: undefined,
    approval: 'once',
    decided: { messageId: 'r' },
    fingerprint: undefined,
    credential: undefined,
    remaining,
  }
}

const run = (first: RunStep, actions: RunActions, signal = new AbortController().signal) =>
  runCompletion(first, actions, signal)
const start: RunStep = { kind: 'call_model' }

describe('the loop of a run', () => {
  it('makes no further call of a batch when there is no room for its result', async () => {
    const { actions, done } = listActions([['a', 'b', 'c']])
    const limit = { status: 'failed', error: { code: 'output_limit', message: 'Full.' } } as const
    const limited = { ...actions, findLimitEnding: () => (done.includes('invoke b') ? limit : undefined) }
    expect(await run(start, limited)).toEqual(limit)
    expect(done.join(', ')).toBe(
      'call model, dispatch a, invoke a, open reply, dispatch b after, invoke b, open reply',
    )
  })

  it('calls the model once when it makes no tool call', async () => {
    const { actions, done } = listActions([])
    expect(await run(start, actions)).toEqual(complete)
    expect(done).toEqual(['call model'])
  })

  it('runs the calls one after the other, and calls the model again with all results', async () => {
    const { actions, done } = listActions([['a', 'b'], ['c']])
    expect(await run(start, actions)).toEqual(complete)
    expect(done.join(', ')).toBe(
      'call model, dispatch a, invoke a, open reply, dispatch b after, invoke b, open reply, call model, dispatch c, invoke c, open reply, call model',
    )
  })

  it('ends when a call needs approval', async () => {
    const { actions, done } = listActions([['a', 'b', 'c']], { needsApproval: 'b' })
    expect(await run(start, actions)).toEqual(complete)
    expect(done.at(-1)).toBe('dispatch b after')
  })

  it('continues with an approved call and the remaining calls of its batch', async () => {
    const { actions, done } = listActions([])
    await run({ kind: 'invoke', invocation: invocationOf('b', { calls: [call('c')], total: 3 }) }, actions)
    expect(done).toEqual([
      'invoke b',
      'open reply',
      'dispatch c after',
      'invoke c',
      'open reply',
      'call model',
    ])
  })

  it('ends after the maximum of rounds', async () => {
    const { actions, done } = listActions(Array.from({ length: maxRounds + 5 }, () => ['a']))
    expect(await run(start, actions)).toMatchObject({ status: 'failed', error: { code: 'output_limit' } })
    expect(done.filter((what) => what === 'call model')).toHaveLength(maxRounds)
    // The error belongs to a reply, so a new reply is opened first.
    expect(done.at(-1)).toBe('open reply')
  })

  it('ends after the maximum of calls, even in few rounds', async () => {
    const batch = Array.from({ length: 128 }, () => 'a')
    const { actions, done } = listActions([batch, batch, batch])
    expect(await run(start, actions)).toMatchObject({ status: 'failed', error: { code: 'output_limit' } })
    expect(done.filter((what) => what === 'invoke a')).toHaveLength(maxCalls)
    expect(done.at(-1)).toBe('open reply')
  })

  it.each([
    ['call model', ['call model']],
    // A call that is stored as running gets a result.
    ['dispatch a', ['call model', 'dispatch a', 'invoke a']],
    ['invoke a', ['call model', 'dispatch a', 'invoke a']],
    ['open reply', ['call model', 'dispatch a', 'invoke a', 'open reply']],
  ])('stops when aborted during "%s"', async (when, expected) => {
    const controller = new AbortController()
    const { actions, done } = listActions([['a', 'b'], ['c']], {
      onDone: (what) => {
        if (what === when) controller.abort('stopped')
      },
    })
    expect(await run(start, actions, controller.signal)).toEqual({ status: 'stopped' })
    expect(done).toEqual(expected)
  })
})

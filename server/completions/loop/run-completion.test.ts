import { describe, expect, it } from 'vitest'
import type { BatchCall } from '../../chats/stored-call.ts'
import { mostCalls, mostRounds, runCompletion } from './run-completion.ts'
import type { HandedCall, RunActions, RunStep } from './run-completion.ts'

const call = (id: string): BatchCall => ({ id, name: id, arguments: '{}' })
const complete = { status: 'complete' } as const

/** Actions that only say what they were told to do; the model asks for these batches, then it answers. */
function note(
  batches: readonly (readonly string[])[],
  rest: { readonly waits?: string; readonly onDone?: (what: string) => void } = {},
) {
  const done: string[] = []
  const asked = [...batches]
  const say = (what: string): void => {
    done.push(what)
    rest.onDone?.(what)
  }
  const actions: RunActions = {
    async ask() {
      say('ask')
      return { ending: complete, calls: (asked.shift() ?? []).map(call) }
    },
    async handOut([first, ...others], continues) {
      const id = first?.id ?? ''
      say(`hand out ${id}${continues ? ' after' : ''}`)
      return rest.waits === id ? undefined : hand(id, others)
    },
    async call({ toolName }) {
      say(`call ${toolName}`)
    },
    async reply() {
      say('reply')
    },
  }
  return { actions, done }
}

function hand(toolName: string, rest: readonly BatchCall[] = []): HandedCall {
  return {
    replyId: 'r',
    connectorName: 'c',
    toolName,
    arguments: '{}',
    unknown: false,
    approval: 'once',
    fingerprint: undefined,
    rest,
  }
}

const run = (first: RunStep, actions: RunActions, signal = new AbortController().signal) =>
  runCompletion(first, actions, signal)
const ask: RunStep = { kind: 'ask' }

describe('the loop of a run', () => {
  it('asks once where nothing is called', async () => {
    const { actions, done } = note([])
    expect(await run(ask, actions)).toEqual(complete)
    expect(done).toEqual(['ask'])
  })

  it('calls what was asked for, one after the other, and asks again when all is answered', async () => {
    const { actions, done } = note([['a', 'b'], ['c']])
    expect(await run(ask, actions)).toEqual(complete)
    expect(done.join(', ')).toBe(
      'ask, hand out a, call a, reply, hand out b after, call b, reply, ask, hand out c, call c, reply, ask',
    )
  })

  it('ends where a call waits for its person', async () => {
    const { actions, done } = note([['a', 'b', 'c']], { waits: 'b' })
    expect(await run(ask, actions)).toEqual(complete)
    expect(done.at(-1)).toBe('hand out b after')
  })

  it('goes on with an allowed call, and with the calls that came with it', async () => {
    const { actions, done } = note([])
    await run({ kind: 'call', call: hand('b', [call('c')]) }, actions)
    expect(done).toEqual(['call b', 'reply', 'hand out c after', 'call c', 'reply', 'ask'])
  })

  it('ends after so many rounds', async () => {
    const { actions, done } = note(Array.from({ length: mostRounds + 5 }, () => ['a']))
    expect(await run(ask, actions)).toMatchObject({ status: 'failed', error: { code: 'output_limit' } })
    expect(done.filter((what) => what === 'ask')).toHaveLength(mostRounds)
    // There is a reply to say it in.
    expect(done.at(-1)).toBe('reply')
  })

  it('ends after so many calls, in however few rounds they are asked for', async () => {
    const batch = Array.from({ length: 128 }, () => 'a')
    const { actions, done } = note([batch, batch, batch])
    expect(await run(ask, actions)).toMatchObject({ status: 'failed', error: { code: 'output_limit' } })
    expect(done.filter((what) => what === 'call a')).toHaveLength(mostCalls)
    expect(done.at(-1)).toBe('reply')
  })

  it.each([
    ['ask', ['ask']],
    // A call that is on record as running gets a result.
    ['hand out a', ['ask', 'hand out a', 'call a']],
    ['call a', ['ask', 'hand out a', 'call a']],
    ['reply', ['ask', 'hand out a', 'call a', 'reply']],
  ])('stops when it is stopped during "%s"', async (when, expected) => {
    const controller = new AbortController()
    const { actions, done } = note([['a', 'b'], ['c']], {
      onDone: (what) => {
        if (what === when) controller.abort('stopped')
      },
    })
    expect(await run(ask, actions, controller.signal)).toEqual({ status: 'stopped' })
    expect(done).toEqual(expected)
  })
})

import { expect, it } from 'vitest'
import type { KnownTool, ResolvedTool } from '../../connectors/tools/resolve-tool.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import { approveCall, decideCall } from './tool-invocation.ts'

const user = { id: 'ada' } as Parameters<typeof decideCall>[1]
const call = {
  id: 'call_1',
  name: 'mail__send',
  arguments: '{}',
  target: { connectorId: 'm1', connectorName: 'mail', toolName: 'send' },
}

const checkArguments = () => Promise.resolve(undefined)
const decide = (resolved: ResolvedTool) =>
  decideCall(
    {
      connectors: {
        resolveTool: () => Promise.resolve(resolved),
        resolveForCall: () => Promise.resolve(resolved),
        checkArguments,
      } as never,
      now: () => 1_000,
    },
    user,
    {
      replyId: 'reply',
      call,
      remaining: { calls: [], total: 1 },
      place: { chatId: 'chat', botId: 'bot' },
      signal: new AbortController().signal,
    },
  )

it('dispatches a call of a missing tool without calling a tool that is added a moment later (§4.18)', async () => {
  const { invocation, shown } = await decide({
    kind: 'missing',
    reason: 'There is none.',
    needsIntegration: false,
  })
  expect(shown.call).toEqual({ state: 'running' })
  // No tool has this fingerprint.
  expect(invocation?.fingerprint).toBe('')
})

it('creates the invocation of a call that the user approved (§4.20, §4.21)', () => {
  const stored = { id: 'call_1', name: 'mail__send', fingerprint: 'f1', credential: 'c 1', rest: [call] }
  const row = {
    id: 'reply',
    connector_id: 'm1',
    server: 'mail',
    tool: 'send',
    arguments: '{"a":1}',
    call: JSON.stringify(stored),
  } as MessageRow
  expect(approveCall(row)).toEqual({
    replyId: 'reply',
    connectorId: 'm1',
    connectorName: 'mail',
    toolName: 'send',
    arguments: '{"a":1}',
    refusal: undefined,
    approval: 'once',
    decided: { messageId: 'reply' },
    fingerprint: 'f1',
    credential: 'c 1',
    remaining: { calls: [call], total: 2 },
  })
})

it('stores and shows the version of the tool that needs approval (§4.19)', async () => {
  const definition = JSON.stringify({ name: 'send', title: 'Send', description: '', inputSchema: {} })
  const tool = { fingerprint: 'f1', definition } as KnownTool['tool']
  const { invocation, shown, stored } = await decide({
    kind: 'callable',
    connector: {} as KnownTool['connector'],
    tool,
    decision: { kind: 'ask' },
    effect: undefined,
    credential: 'c 1',
    alwaysAsks: false,
  })
  expect(invocation).toBeUndefined()
  expect(shown.call).toEqual({
    state: 'waiting',
    title: 'Send',
    fingerprint: 'f1',
    credential: 'c 1',
    asked_at: 1_000,
  })
  expect(stored).toMatchObject({ fingerprint: 'f1', credential: 'c 1' })
})

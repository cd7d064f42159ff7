import { expect, it } from 'vitest'
import type { KnownTool, ResolvedTool } from '../../connectors/tools/resolve-tool.ts'
import { decideCall } from './decide-call.ts'

const user = { id: 'ada' } as Parameters<typeof decideCall>[1]
const call = {
  id: 'call_1',
  name: 'mail__send',
  arguments: '{}',
  target: { connectorName: 'mail', toolName: 'send' },
}

const decide = (resolved: ResolvedTool) =>
  decideCall({ connectors: { resolveTool: () => Promise.resolve(resolved) } as never }, user, {
    replyId: 'reply',
    call,
    rest: [],
    continues: false,
  })

it('a call of a tool that is not there is handed on as none, whatever stands in its place a moment later (§4.18)', async () => {
  const { handed, shown } = await decide({
    kind: 'missing',
    reason: 'There is none.',
    needsIntegration: false,
  })
  expect(shown.call).toEqual({ state: 'running' })
  // No tool has this fingerprint, so a connector that has it back by then does not call it.
  expect(handed?.fingerprint).toBe('')
})

it('a call that asks says which form of its tool was looked at (§4.19)', async () => {
  const definition = JSON.stringify({ name: 'send', title: 'Send', description: '', inputSchema: {} })
  const tool = { fingerprint: 'f1', definition } as KnownTool['tool']
  const { handed, shown, stored } = await decide({
    kind: 'callable',
    connector: {} as KnownTool['connector'],
    tool,
    consent: { kind: 'ask' },
  })
  expect(handed).toBeUndefined()
  expect(shown.call).toEqual({ state: 'waiting', title: 'Send', fingerprint: 'f1' })
  expect(stored.fingerprint).toBe('f1')
})

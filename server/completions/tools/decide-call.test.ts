import { expect, it } from 'vitest'
import type { ToolConsent } from '../../connectors/tools/find-tool-consent.ts'
import { decideCall } from './decide-call.ts'

const user = { id: 'ada' } as Parameters<typeof decideCall>[1]
const call = {
  id: 'call_1',
  name: 'mail__send',
  arguments: '{}',
  target: { connectorName: 'mail', toolName: 'send' },
}

const decide = (consent: ToolConsent | undefined) =>
  decideCall({ connectors: { findToolConsent: () => Promise.resolve(consent) } as never }, user, {
    replyId: 'reply',
    call,
    rest: [],
    continues: false,
  })

it('a call of a tool that is not there is handed on as none, whatever stands in its place a moment later (§4.18)', async () => {
  const { handed, shown } = await decide(undefined)
  expect(shown.call).toEqual({ state: 'running' })
  // No tool has this fingerprint, so a connector that has it back by then does not call it.
  expect(handed?.fingerprint).toBe('')
})

it('a call that asks says which form of its tool was looked at (§4.19)', async () => {
  const definition = JSON.stringify({ name: 'send', title: 'Send', description: '', inputSchema: {} })
  const tool = { fingerprint: 'f1', definition } as ToolConsent['tool']
  const { handed, shown, stored } = await decide({
    connector: {} as ToolConsent['connector'],
    tool,
    decision: { kind: 'ask' },
  })
  expect(handed).toBeUndefined()
  expect(shown.call).toEqual({ state: 'waiting', title: 'Send', fingerprint: 'f1' })
  expect(stored.fingerprint).toBe('f1')
})

import type { Connector } from '@yonder/contract/connector'
import { expect, it } from 'vitest'
import { makeBot, makeConnector, makeMessage, makeTool } from '../../../testing/wire-objects.ts'
import { findObstacle } from './approval-card.tsx'

const call = makeMessage('a1', null, {
  role: 'assistant',
  server: 'mail',
  tool: 'send',
  call: { state: 'waiting', fingerprint: 'f1', credential: 'c 1' },
})
const tool = makeTool('send', { fingerprint: 'f1' })
const mail = makeConnector({ name: 'mail', status: 'connected', credential: 'c 1', tools: [tool] })

const cases: readonly (readonly [string, readonly Connector[] | undefined, string | undefined])[] = [
  ['nothing, while the connectors are not loaded', undefined, undefined],
  ['nothing, for the same tool and connector', [mail], undefined],
  [
    'nothing, for a connector that failed: the next call may work',
    [{ ...mail, status: 'failed' }],
    undefined,
  ],
  ['a deleted connector', [], '"mail" is no longer one of your connectors.'],
  [
    'another connector of this name',
    [{ ...mail, credential: 'c 2' }],
    '"mail" was added again, or its address, credential or account has changed since the model made this call.',
  ],
  ['a disconnected connector', [{ ...mail, status: 'disconnected' }], '"mail" is disconnected.'],
  [
    'a blocked tool',
    [{ ...mail, block_tools: ['send'], status: 'disconnected' }],
    'You have blocked this tool.',
  ],
  ['nothing, while another tool is blocked', [{ ...mail, block_tools: ['read'] }], undefined],
  ['a missing tool', [{ ...mail, tools: [] }], '"mail" no longer has this tool.'],
  [
    'a tool that cannot be used',
    [{ ...mail, tools: [{ ...tool, problem: 'its schema is too large' }] }],
    'This tool cannot be used: its schema is too large.',
  ],
  [
    'a changed tool',
    [{ ...mail, tools: [{ ...tool, fingerprint: 'f2' }] }],
    'This tool has changed since the model made this call.',
  ],
]

it.each(cases)('names %s', (_what, connectors, reason) => {
  expect(findObstacle(connectors, undefined, call)).toBe(reason)
})

it.each([
  ['chosen connectors without it', ['files'], 'The bot "Owl" may not use "mail".'],
  ['no connectors', [], 'The bot "Owl" may not use "mail".'],
  ['chosen connectors with it', ['mail'], undefined],
  ['all connectors', null, undefined],
])('names a bot that may not use the connector: %s', (_what, connectors, reason) => {
  const bots = [makeBot({ name: 'Owl', connectors }), makeBot({ name: 'Fox', connectors: [] })]
  expect(findObstacle([mail], bots, { ...call, bot: 'Owl' })).toBe(reason)
  expect(findObstacle([mail], bots, { ...call, bot: 'Deleted' })).toBeUndefined()
})

import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { MessageUsage } from '@yonder/contract/usage/usage-report'
import { expect, it } from 'vitest'
import { renderScreen } from '../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { makeReply } from '../../testing/wire-objects.ts'
import { DetailsButton } from './details-button.tsx'
// The dialog is loaded late; a busy machine could take longer for it than a query waits.
import './details-dialog.tsx'

const call = {
  message_id: 'a1',
  kind: 'reply',
  bot: 'Owl',
  model: 'owl-1',
  provider: null,
  time: '2026-11-24T10:00:00.000Z',
  input_tokens: 1_000,
  output_tokens: 50,
  cached_tokens: 800,
  reasoning_tokens: null,
  cost: { currency: 'USD', amount: '0.0045' },
  duration_ms: 1_500,
  first_text_ms: 400,
} as const
const total = {
  calls: 1,
  input_tokens: 1_000,
  cached_tokens: 800,
  output_tokens: 50,
  reasoning_tokens: 0,
  uncounted_calls: 0,
  costs: [call.cost],
  unpriced_calls: 0,
}

async function open(api: ScriptedApi, replies = [makeReply('a1', 'u1')]) {
  renderScreen(api, <DetailsButton chatId="c1" replies={replies} />)
  await userEvent.click(screen.getByRole('button', { name: 'Details' }))
  return screen.findByRole('dialog', { name: 'Details' })
}
const value = (name: string) => screen.getByText(name, { selector: 'dt' }).nextElementSibling

it('shows tokens, cost and times of a reply', async () => {
  const usage: MessageUsage = { calls: [call], total }
  await open(new ScriptedApi().on('GET /api/chats/c1/usage', () => json(usage)))
  expect(await screen.findByText('1,000')).toBeVisible()
  expect(value('Input tokens')).toHaveTextContent('800 from the cache')
  expect(value('Cost')).toHaveTextContent('$0.0045')
  expect(value('Time to first output')).toHaveTextContent('400 ms')
  expect(value('Duration')).toHaveTextContent('1.5 s')
  expect(screen.queryByRole('table')).toBeNull()
})

it('lists each call of a turn, whose replies it names all', async () => {
  const summary = { ...call, kind: 'summary', cost: null, first_text_ms: null, duration_ms: 183_500 } as const
  const title = { ...call, kind: 'title', model: 'namer', input_tokens: 90 } as const
  const usage: MessageUsage = {
    calls: [summary, call, title],
    total: { ...total, calls: 3, input_tokens: 2_090, unpriced_calls: 1 },
  }
  const api = new ScriptedApi().on('GET /api/chats/c1/usage', () => json(usage))
  await open(api, [makeReply('a1', 'u1'), makeReply('a2', 'a1')])
  const table = await screen.findByRole('table', { name: 'Each model call' })
  expect(within(table).getByRole('row', { name: 'Summary 1,000 50 unknown' })).toBeVisible()
  expect(within(table).getByRole('row', { name: /^1 1,000 50 / })).toBeVisible()
  expect(within(table).getByRole('row', { name: /^Title 90 50 / })).toBeVisible()
  expect(value('Cost')).toHaveTextContent('and 1 call of unknown cost')
  expect(value('Time to first output')).toHaveTextContent('400 ms')
  // The reply does not wait for the title.
  expect(value('Duration')).toHaveTextContent('3 min 5 s')
  expect(api.seen('GET /api/chats/c1/usage')[0]?.query.get('messageIds')).toBe('a1,a2')
})

it('says that nothing is known of a reply without a record', async () => {
  const api = new ScriptedApi().on('GET /api/chats/c1/usage', () => failure(404, 'not_found', 'None.'))
  await open(api, [makeReply('a1', 'u1')])
  expect(await screen.findByText(/no record of the usage/)).toBeVisible()
  for (const name of ['Input tokens', 'Output tokens', 'Cost'])
    expect(value(name)).toHaveTextContent('unknown')
})

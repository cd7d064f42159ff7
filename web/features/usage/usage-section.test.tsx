import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { UsageReport, UsageTotals } from '@yonder/contract/usage/usage-report'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { renderScreen } from '../../testing/render-screen.tsx'
import { json, ScriptedApi } from '../../testing/scripted-api.ts'
import { UsageSection } from './usage-section.tsx'

beforeEach(() => vi.setSystemTime('2026-11-24T12:00:00Z'))
afterEach(() => vi.useRealTimers())

const totals = (fields: Partial<UsageTotals> = {}): UsageTotals => ({
  calls: 3,
  input_tokens: 12_345,
  cached_tokens: 1_000,
  output_tokens: 678,
  reasoning_tokens: 0,
  uncounted_calls: 0,
  costs: [{ currency: 'USD', amount: '1.5' }],
  unpriced_calls: 0,
  ...fields,
})

const withFiles = () =>
  new ScriptedApi().on('GET /api/files', () =>
    json({ used: 12_300_000, quota: 1_000_000_000, max_file: 25_000_000 }),
  )

function serve(fields: Partial<UsageTotals> = {}) {
  const total = totals(fields)
  return withFiles().on('GET /api/usage', ({ query }) =>
    json({
      from: query.get('from') ?? '',
      to: query.get('to') ?? '',
      time_zone: 'UTC',
      total,
      days: total.calls === 0 ? [] : [{ ...total, day: '2026-11-24' }],
      months: total.calls === 0 ? [] : [{ ...total, month: '2026-11' }],
      bots: total.calls === 0 ? [] : [{ ...total, bot: 'Owl' }],
    } satisfies UsageReport),
  )
}

const figure = (name: string) => screen.getByText(name, { selector: 'dt' }).nextElementSibling

it('shows totals, a chart and tables of the range', async () => {
  const api = serve()
  renderScreen(api, <UsageSection />)
  const bots = await screen.findByRole('region', { name: 'Usage by bot' })
  expect(screen.getByText('Your files take 12.3 MB of 1 GB.')).toBeVisible()
  expect(within(bots).getByRole('row', { name: 'Owl $1.50 12,345 678 3' })).toBeVisible()
  expect(figure('Cost')).toHaveTextContent('$1.50')
  expect(figure('Input tokens')).toHaveTextContent('12,3451,000 cached')
  expect(screen.getByRole('img', { name: /The highest is 13,023, on 2026-11-24\./ })).toBeVisible()
  expect(screen.getByText('2026-11-24: 12,345 input, 678 output', { selector: 'title' })).toBeInTheDocument()
  await userEvent.click(screen.getByRole('button', { name: 'Show each day' }))
  expect(screen.getByRole('row', { name: '2026-11-24 $1.50 12,345 678 3' })).toBeVisible()
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Range' }), 'Last 12 months')
  expect(await screen.findByText('Tokens per month, highest 13k')).toBeVisible()
  expect(api.seen('GET /api/usage').map(({ query }) => [query.get('from'), query.get('to')])).toEqual([
    ['2026-11-01', '2026-11-30'],
    ['2025-12-01', '2026-11-30'],
  ])
})

it('shows what is not known as unknown, and never as 0', async () => {
  renderScreen(
    serve({
      input_tokens: 0,
      output_tokens: 0,
      cached_tokens: 0,
      uncounted_calls: 3,
      costs: [],
      unpriced_calls: 3,
    }),
    <UsageSection />,
  )
  expect(await screen.findByText('The tokens of 3 of 3 calls were not fully counted.')).toBeVisible()
  for (const name of ['Cost', 'Input tokens', 'Output tokens'])
    expect(figure(name)).toHaveTextContent('unknown')
  expect(screen.getByRole('img', { name: /No tokens were counted\./ })).toBeVisible()
  expect(
    screen.getByText('2026-11-24: unknown input, unknown output', { selector: 'title' }),
  ).toBeInTheDocument()
  expect(screen.getByText('2026-11-23: no calls', { selector: 'title' })).toBeInTheDocument()
  // A price would not help, because nothing was counted.
  expect(screen.queryByText(/No price was known/)).toBeNull()
})

it('says which figures are incomplete, and when prices are missing', async () => {
  const { unmount } = renderScreen(serve({ uncounted_calls: 1, unpriced_calls: 2 }), <UsageSection />)
  expect(
    await screen.findByText(
      'The tokens of 1 of 3 calls were not fully counted. The cost of 2 of 3 calls is not known and not included.',
    ),
  ).toBeVisible()
  unmount()
  renderScreen(serve({ costs: [], unpriced_calls: 3 }), <UsageSection />)
  expect(await screen.findByText(/No price was known for these calls\./)).toBeVisible()
})

it('says that a range has no usage', async () => {
  renderScreen(serve({ calls: 0, costs: [] }), <UsageSection />)
  expect(await screen.findByText('No usage in this range')).toBeVisible()
  expect(screen.queryByRole('img')).toBeNull()
})

import { act, render, screen } from '@testing-library/react'
import type { Message } from '@yonder/contract/message'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeMessage, makeReply } from '../../../testing/wire-objects.ts'
import { ToolBlock } from './tool-block.tsx'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-20T10:00:00.000Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))
const line = () => screen.getByRole('button')

const callOf = (call: Message['call']) =>
  makeReply('a1', 'u1', { content: '', server: 'default', tool: 'calculate', arguments: '{}', call })
const blockOf = (message: Message, result?: Message) => (
  <ToolBlock chatId="c1" message={message} result={result} isLast={result === undefined} />
)
const running = (since: number) => callOf({ state: 'running', title: 'Calculator', running_since: since })

it('shows for how many seconds a call has run, from the first full one until its result', async () => {
  const { rerender } = render(blockOf(running(Date.now())))
  expect(line()).toHaveTextContent(/Running$/)
  await pass(999)
  expect(line()).toHaveTextContent(/Running$/)
  for (const [milliseconds, text] of [
    [1, '1 s'],
    [1_000, '2 s'],
    [57_000, '59 s'],
    [1_000, '1 min'],
    [1_000, '1 min 1 s'],
  ] as const) {
    await pass(milliseconds)
    expect(line()).toHaveTextContent(new RegExp(`Running${text}$`))
  }
  const outcome = { status: 'done' as const, duration: 61_400, parts: [] }
  const result = makeMessage('r1', 'a1', { server: 'default', tool: 'calculate', outcome })
  rerender(blockOf(callOf({ state: 'answered', title: 'Calculator' }), result))
  expect(line()).toHaveTextContent(/Done, 1 min 1 s$/)
  expect(vi.getTimerCount()).toBe(0)
})

it('counts from the start of the call, also when the page is opened later', () => {
  render(blockOf(running(Date.now() - 90_000)))
  expect(line()).toHaveTextContent(/Running1 min 30 s$/)
})

it('shows no seconds while the clock of the server is ahead', async () => {
  render(blockOf(running(Date.now() + 5_000)))
  await pass(5_999)
  expect(line()).toHaveTextContent(/Running$/)
  await pass(1)
  expect(line()).toHaveTextContent(/Running1 s$/)
})

it('does not tell screen readers every second', async () => {
  render(blockOf(running(Date.now())))
  const name = 'default Calculator Running'
  expect(screen.getByRole('button', { name })).toBe(line())
  await pass(3_000)
  expect(screen.getByText('3 s')).toHaveAttribute('aria-hidden', 'true')
  expect(screen.getByRole('button', { name })).toBe(line())
  expect(screen.getByText('3 s').closest('output, [aria-live], [role="status"]')).toBeNull()
})

it('labels an imported call, and offers nothing to run or to connect', () => {
  const imported = { imported: true } as const
  const outcome = { status: 'authorization_needed' as const, duration: null, parts: [] }
  const result = makeMessage('r1', 'a1', { server: 'default', tool: 'calculate', outcome })
  const { rerender } = render(blockOf(callOf({ state: 'answered', ...imported }), result))
  expect(screen.getByRole('button', { name: /Imported/ })).toBe(line())
  rerender(blockOf(callOf({ state: 'waiting', ...imported })))
  expect(screen.getAllByRole('button', { name: /Imported/ })).toEqual([line()])
  expect(screen.queryByRole('button', { name: /Allow|Deny|Connect/ })).toBeNull()
})

it('says that a call was not made because its tool is blocked, and not that it failed', () => {
  const outcome = { status: 'failed' as const, duration: 0, parts: [], blocked: true as const }
  const result = makeMessage('r1', 'a1', { server: 'default', tool: 'calculate', outcome })
  render(blockOf(callOf({ state: 'answered', title: 'Calculator' }), result))
  expect(line()).toHaveTextContent(/Blocked$/)
  expect(line().querySelector('.lucide-ban')).toBeInTheDocument()
})

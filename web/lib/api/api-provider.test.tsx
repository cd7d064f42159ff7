import { act, render, screen } from '@testing-library/react'
import useSWR from 'swr'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { ApiProvider, readOptions } from './api-provider.tsx'

const route = 'GET /api/bots'

function Reader() {
  const { data, error } = useSWR<number, Error>('/api/bots')
  return <p>{data ?? error?.message ?? 'nothing yet'}</p>
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

async function pass(milliseconds: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(milliseconds))
}

it('retries a failed read every five seconds without a limit, and logs every failure (§7.1, §8.34)', async () => {
  expectConsole('error', /^An error occurred while fetching the data\. 500 \(\/api\/bots\)$/)
  const api = new ScriptedApi().on(route, () => failure(500, 'internal', 'Down.'))
  render(
    <ApiProvider api={api.client}>
      <Reader />
    </ApiProvider>,
  )
  await pass(10)
  expect(screen.getByText('An error occurred while fetching the data.')).toBeInTheDocument()
  for (let tries = 1; tries < 12; tries++) {
    expect(api.seen(route)).toHaveLength(tries)
    await pass(4900)
    expect(api.seen(route)).toHaveLength(tries)
    await pass(100)
  }
  api.on(route, () => json(7))
  await pass(5000)
  expect(screen.getByText('7')).toBeInTheDocument()
})

it('retries a failed read once in five seconds, however many screens have read it (§7.1)', async () => {
  expectConsole('error', /500/)
  const api = new ScriptedApi().on(route, () => failure(500, 'internal', 'Down.'))
  const tree = (shown: boolean) => <ApiProvider api={api.client}>{shown && <Reader />}</ApiProvider>
  const { rerender } = render(tree(true))
  for (let visits = 0; visits < 4; visits++) {
    await pass(2100)
    rerender(tree(false))
    rerender(tree(true))
  }
  await pass(10)
  const before = api.seen(route).length
  expect(before).toBeGreaterThan(4)
  await pass(4980)
  expect(api.seen(route)).toHaveLength(before)
  await pass(20_000)
  expect(api.seen(route)).toHaveLength(before + 4)
  // A success of another reader cancels the next try.
  api.on(route, () => json(7))
  rerender(tree(false))
  rerender(tree(true))
  await pass(20_000)
  expect(screen.getByText('7')).toBeInTheDocument()
  expect(api.seen(route)).toHaveLength(before + 5)
})

it('reads again on reconnect, but not on focus and not at intervals (§7.28, §9.4)', async () => {
  const api = new ScriptedApi().on(route, () => json(1))
  render(
    <ApiProvider api={api.client}>
      <Reader />
    </ApiProvider>,
  )
  await pass(60_000)
  window.dispatchEvent(new Event('focus'))
  document.dispatchEvent(new Event('visibilitychange'))
  await pass(60_000)
  expect(api.seen(route)).toHaveLength(1)
  window.dispatchEvent(new Event('offline'))
  window.dispatchEvent(new Event('online'))
  await pass(10)
  expect(api.seen(route)).toHaveLength(2)
})

it('combines equal reads within two seconds into one request (§7.28, §9.4)', async () => {
  const api = new ScriptedApi().on(route, () => json(1))
  const tree = (count: number) => (
    <ApiProvider api={api.client}>
      {['a', 'b', 'c'].slice(0, count).map((key) => (
        <Reader key={key} />
      ))}
    </ApiProvider>
  )
  const { rerender } = render(tree(1))
  await pass(1900)
  rerender(tree(2))
  await pass(10)
  expect(api.seen(route)).toHaveLength(1)
  await pass(200)
  rerender(tree(3))
  await pass(10)
  expect(api.seen(route)).toHaveLength(2)
  expect(readOptions.dedupingInterval).toBe(2000)
})

it('clears the cache when the user changes', async () => {
  let answer = 1
  const api = new ScriptedApi().on(route, () => json(answer))
  const tree = (key: string) => (
    <ApiProvider key={key} api={api.client}>
      <Reader />
    </ApiProvider>
  )
  const { rerender } = render(tree('ada'))
  await pass(10)
  answer = 2
  rerender(tree('bob'))
  expect(screen.getByText('nothing yet')).toBeInTheDocument()
  await pass(10)
  expect(screen.getByText('2')).toBeInTheDocument()
})

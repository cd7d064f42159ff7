import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { dismissToast, toasts } from '../toasts.ts'
import { ApiProvider } from './api-provider.tsx'
import { useAction, type ActionOptions } from './use-action.ts'

const route = 'POST /api/bot'

afterEach(() => {
  for (const { id } of toasts.get()) dismissToast(id)
})

function open(api: ScriptedApi, options: Partial<ActionOptions<string, string>> = {}) {
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <ApiProvider api={api.client}>{children}</ApiProvider>
  )
  const action = {
    call: async (client, name) => client.post<string>('/api/bot', { name }),
    success: (answer) => `Saved ${answer}`,
    failure: () => 'Not saved',
    ...options,
  } satisfies ActionOptions<string, string>
  return renderHook(() => useAction<string, string>(action), { wrapper }).result
}

const shown = () => toasts.get().map(({ kind, text }) => [kind, text])

it('is pending while the call runs, then updates the reads, shows the toast and returns the response', async () => {
  let respond: (response: Response) => void = () => undefined
  const api = new ScriptedApi().on(route, () => new Promise((resolve) => (respond = resolve)))
  const update = vi.fn(() => expect(shown()).toEqual([]))
  const action = open(api, { update })
  let result: unknown
  await act(async () => void action.current.run('Owl').then((value) => (result = value)))
  expect(action.current.pending).toBe(true)
  await vi.waitFor(() => expect(api.seen(route)).toHaveLength(1))
  await act(async () => respond(json('Owl')))
  await vi.waitFor(() => expect(result).toEqual({ done: true, answer: 'Owl' }))
  expect(update).toHaveBeenCalledExactlyOnceWith(expect.any(Function), 'Owl', 'Owl')
  expect(shown()).toEqual([['success', 'Saved Owl']])
  expect(action.current.pending).toBe(false)
})

it('shows and logs a failure, refreshes the reads and returns the error (§8.34)', async () => {
  expectConsole('error', /Not saved/)
  const refresh = vi.fn()
  const action = open(
    new ScriptedApi().on(route, () => failure(503, 'unavailable', 'Not now.')),
    { refresh },
  )
  const result = await act(async () => action.current.run('Owl'))
  expect(result).toMatchObject({ done: false, error: { status: 503 } })
  expect(refresh).toHaveBeenCalledTimes(1)
  expect(shown()).toEqual([['error', 'Not saved']])
})

it('only logs a failure when `isFailureShown` is false', async () => {
  expectConsole('error', /Not saved/)
  const action = open(
    new ScriptedApi().on(route, () => failure(503, 'unavailable', 'Not now.')),
    { isFailureShown: false },
  )
  await act(async () => action.current.run('Owl'))
  expect(shown()).toEqual([])
})

it('shows nothing after a 401, and returns no error (§8.2)', async () => {
  const api = new ScriptedApi().on(route, () => new Response(null, { status: 401 }))
  const action = open(api)
  expect(await act(async () => action.current.run('Owl'))).toEqual({ done: false })
  expect(api.signedOut).toBe(true)
  expect(shown()).toEqual([])
})

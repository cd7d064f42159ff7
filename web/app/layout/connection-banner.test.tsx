import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { renderScreen } from '../../testing/render-screen.tsx'
import { json, ScriptedApi } from '../../testing/scripted-api.ts'
import { ConnectionBanner } from './connection-banner.tsx'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))
const banner = () => screen.queryByText(/You can still read the open page/)

it('shows a banner while the browser is offline', async () => {
  const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true)
  renderScreen(
    new ScriptedApi().on('GET /healthz', () => json({})),
    <ConnectionBanner />,
  )
  expect(banner()).toBeNull()
  isOnline.mockReturnValue(false)
  act(() => void window.dispatchEvent(new Event('offline')))
  expect(banner()).toHaveTextContent('You are offline. You can still read the open page.')
  isOnline.mockReturnValue(true)
  act(() => void window.dispatchEvent(new Event('online')))
  expect(banner()).toBeNull()
  isOnline.mockRestore()
})

it('shows a banner while the server does not respond, and not for a short interruption', async () => {
  let status = 502
  const api = new ScriptedApi()
    .on('GET /api/bots', () => {
      throw new TypeError('Failed to fetch')
    })
    .on('GET /healthz', () => new Response('', { status }))
  renderScreen(api, <ConnectionBanner />)
  const fail = () => expect(api.client.read('/api/bots')).rejects.toThrow('The server could not be reached.')
  await fail()
  await pass(900)
  expect(banner()).toBeNull()
  await pass(200)
  expect(banner()).toHaveTextContent('The server could not be reached.')
  status = 200
  await pass(2000)
  expect(banner()).toBeNull()
  const checks = api.seen('GET /healthz').length
  await pass(60_000)
  expect(api.seen('GET /healthz')).toHaveLength(checks)
  await fail()
  await pass(5000)
  expect(banner()).toBeNull()
  expect(api.seen('GET /healthz')).toHaveLength(checks + 1)
})

it('says that a proxy holds replies back, unless the server cannot be reached', () => {
  const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true)
  const api = new ScriptedApi().on('GET /healthz', () => json({}))
  api.client.live.state.set('held')
  renderScreen(api, <ConnectionBanner />)
  const held = 'Replies appear late, because a proxy on the way to the server holds them back.'
  expect(screen.getByText(held)).toBeVisible()
  isOnline.mockReturnValue(false)
  act(() => void window.dispatchEvent(new Event('offline')))
  expect(banner()).toHaveTextContent('You are offline.')
  expect(screen.queryByText(held)).toBeNull()
  isOnline.mockRestore()
})

import { act, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { expectConsole } from '../testing/expect-console.ts'
import { WebAppScene } from '../testing/web-app-scene.tsx'

/** The requests of the settings that have no response yet. */
let settle: ((response: Response) => void)[]
let scene: WebAppScene

beforeEach(() => {
  settle = []
  scene = new WebAppScene()
  scene.api.on('GET /api/settings', () => new Promise((resolve) => settle.push(resolve)))
})

afterEach(() => {
  vi.unstubAllGlobals()
})

it('shows a spinner while the sign-in state loads, and an error when the server cannot be reached (§2.9)', async () => {
  expectConsole('error', /settings could not be loaded/)
  scene.open()
  expect(screen.getByRole('status', { name: '' })).toHaveTextContent('Loading')
  expect(screen.getByRole('status', { name: '' }).querySelector('.animate-spin')).not.toBeNull()
  await act(async () => settle.shift()?.(new Response('', { status: 502 })))
  expect(await screen.findByText('Yonder cannot be reached')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(screen.getByText('Loading')).toBeInTheDocument()
  expect(settle).toHaveLength(1)
  await act(async () => settle.shift()?.(new Response('', { status: 502 })))
  expect(screen.getByText('Yonder cannot be reached')).toBeVisible()
})

it('shows the legal pages also when the server cannot be reached (§2.7)', async () => {
  expectConsole('error', /settings could not be loaded/)
  scene.open('/terms')
  await act(async () => settle.shift()?.(new Response('', { status: 502 })))
  expect(await screen.findByRole('heading', { name: 'Terms of Service' })).toBeVisible()
  expect(screen.queryByText('Yonder cannot be reached')).toBeNull()
})

import { act, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { useApi } from '../lib/api-provider.tsx'
import { expectConsole } from '../testing/expect-console.ts'
import { ConnectionBanner } from './layout/connection-banner.tsx'
import { ErrorBoundary } from './error-boundary.tsx'

function Broken(): never {
  throw new Error('Render failed.')
}

function Misplaced() {
  useApi()
  return null
}

it('shows an error page in place of a screen that throws, and logs the error (§14.27)', () => {
  expectConsole('error', /A screen failed.*Render failed/s)
  expectConsole('error', /Broken/)
  render(
    <ErrorBoundary>
      <Broken />
    </ErrorBoundary>,
  )
  expect(screen.getByRole('alert')).toHaveTextContent('This page could not be shown')
  expect(screen.getByRole('button', { name: 'Reload' })).toBeVisible()
})

it('reports a missing context only in the log (§8.35)', () => {
  expectConsole('error', /A screen failed.*useApi must be used within ApiContext/s)
  expectConsole('error', /Misplaced/)
  render(
    <ErrorBoundary>
      <Misplaced />
    </ErrorBoundary>,
  )
  expect(screen.getByRole('alert')).toHaveTextContent('This page could not be shown')
  expect(document.body).not.toHaveTextContent(/useApi|Context/)
})

it('renders the next screen after a failed one', () => {
  expectConsole('error', /A screen failed/)
  expectConsole('error', /Broken/)
  const { rerender } = render(
    <ErrorBoundary screen="/a">
      <Broken />
    </ErrorBoundary>,
  )
  rerender(
    <ErrorBoundary screen="/b">
      <p>Next screen</p>
    </ErrorBoundary>,
  )
  expect(screen.getByText('Next screen')).toBeVisible()
})

it('shows a banner while the browser is offline (§10.20)', () => {
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true)
  render(<ConnectionBanner />)
  expect(screen.queryByText(/You are offline/)).toBeNull()
  online.mockReturnValue(false)
  act(() => window.dispatchEvent(new Event('offline')) as unknown as void)
  expect(screen.getByText(/You are offline/)).toBeVisible()
  online.mockReturnValue(true)
  act(() => window.dispatchEvent(new Event('online')) as unknown as void)
  expect(screen.queryByText(/You are offline/)).toBeNull()
  online.mockRestore()
})

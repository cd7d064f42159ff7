import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useApi } from '../lib/api/api-provider.tsx'
import { expectConsole } from '../testing/expect-console.ts'
import { ErrorBoundary } from './error-boundary.tsx'

function Broken(): never {
  throw new Error('Render failed.')
}

function Misplaced() {
  useApi()
  return null
}

it('shows an error page in place of a screen that throws, and logs the error', () => {
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
  expectConsole('error', /A screen failed.*useApi must be used within ApiProvider/s)
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

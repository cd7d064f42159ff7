import { render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter, useLocation } from 'react-router'
import { expect, test, vi } from 'vitest'
import { printState, usePrintOnArrival } from './print-on-arrival.ts'

const print = vi.fn()

function Page() {
  usePrintOnArrival(print)
  const { pathname, hash, state } = useLocation() as { pathname: string; hash: string; state: unknown }
  return <p>{`${pathname}${hash} ${JSON.stringify(state)}`}</p>
}

test('a chat that is opened for printing prints once, and not after a reload', async () => {
  const place = { pathname: '/chat/c1', hash: '#m1', state: printState }
  const { rerender } = render(
    <MemoryRouter initialEntries={[place]}>
      <Page />
    </MemoryRouter>,
  )
  await waitFor(() => expect(print).toHaveBeenCalledOnce())
  expect(screen.getByText('/chat/c1#m1 null')).toBeVisible()
  rerender(
    <MemoryRouter initialEntries={[place]}>
      <Page />
    </MemoryRouter>,
  )
  expect(print).toHaveBeenCalledOnce()
})

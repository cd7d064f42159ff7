import { act, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toast } from '../../lib/toasts.ts'
import { Dialog } from '../dialog/dialog.tsx'
import { ToastRegion } from './toast-region.tsx'

const wait = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(async () => {
  await wait(10_000)
  vi.useRealTimers()
})

it('shows a success or an error for five seconds (§2.48, §9.1)', async () => {
  render(<ToastRegion />)
  await wait(200)
  act(() => toast.success('Saved'))
  act(() => toast.error('Not saved'))
  expect(within(screen.getByRole('status')).getByText('Saved')).toBeVisible()
  expect(within(screen.getByRole('alert')).getByText('Not saved')).toBeVisible()
  await wait(4999)
  expect(screen.getByText('Saved')).toBeVisible()
  await wait(1)
  expect(screen.queryByText('Saved')).toBeNull()
  expect(screen.queryByText('Not saved')).toBeNull()
})

it('removes only the toast that is dismissed', async () => {
  render(<ToastRegion />)
  await wait(200)
  act(() => toast.success('One'))
  act(() => toast.success('Two'))
  act(() => screen.getAllByRole('button', { name: 'Dismiss' })[0]?.click())
  expect(screen.queryByText('One')).toBeNull()
  expect(screen.getByText('Two')).toBeVisible()
})

it('is rendered inside the top dialog while one is open, and outside again after it', async () => {
  const { rerender } = render(<ToastRegion />)
  const dialogs = (count: number) => (
    <>
      <ToastRegion />
      {['Lower', 'Upper'].slice(0, count).map((title) => (
        <Dialog key={title} title={title} onClose={vi.fn()} />
      ))}
    </>
  )
  act(() => toast.success('Saved'))
  for (const [count, place] of [
    [1, 'Lower'],
    [2, 'Upper'],
    [1, 'Lower'],
    [0, undefined],
  ] as const) {
    rerender(dialogs(count))
    await wait(200)
    const dialog = screen.getByText('Saved').closest('dialog')
    if (place === undefined) expect(dialog).toBeNull()
    else expect(dialog).toHaveAccessibleName(place)
  }
})

describe('while the user may be reading', () => {
  const card = () => screen.getByText('Saved').parentElement as HTMLElement

  beforeEach(async () => {
    render(<ToastRegion />)
    await wait(200)
    act(() => toast.success('Saved'))
    await wait(4000)
  })

  /** Expects that the toast stays for as long as nothing else happens, and then for its last second. */
  async function expectHeld(release: () => void) {
    await wait(60_000)
    expect(screen.getByText('Saved')).toBeVisible()
    act(release)
    await wait(999)
    expect(screen.getByText('Saved')).toBeVisible()
    await wait(1)
    expect(screen.queryByText('Saved')).toBeNull()
  }

  it('its timer is paused while the pointer is on it (§9.1)', async () => {
    fireEvent.pointerMove(card())
    await expectHeld(() => void fireEvent.pointerLeave(card()))
  })

  it('its timer is paused while it has the focus (§9.1)', async () => {
    act(() => screen.getByRole('button', { name: 'Dismiss' }).focus())
    await expectHeld(() => screen.getByRole('button', { name: 'Dismiss' }).blur())
  })

  it('its timer is paused while the tab is hidden (§9.1)', async () => {
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    fireEvent(document, new Event('visibilitychange'))
    await expectHeld(() => {
      hidden.mockReturnValue(false)
      fireEvent(document, new Event('visibilitychange'))
    })
    hidden.mockRestore()
  })

  it('the other timers continue when the toast under the pointer is dismissed', async () => {
    act(() => toast.error('Not saved'))
    fireEvent.pointerMove(card())
    act(() => screen.getAllByRole('button', { name: 'Dismiss' })[0]?.click())
    expect(screen.queryByText('Saved')).toBeNull()
    await wait(5000)
    expect(screen.queryByText('Not saved')).toBeNull()
  })
})

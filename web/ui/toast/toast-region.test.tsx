import { act, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Dialog } from '../dialog/dialog.tsx'
import { ToastRegion } from './toast-region.tsx'
import { toast } from '../../lib/toasts.ts'

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

it('goes when it is dismissed, and alone', async () => {
  render(<ToastRegion />)
  await wait(200)
  act(() => toast.success('One'))
  act(() => toast.success('Two'))
  act(() => screen.getAllByRole('button', { name: 'Dismiss' })[0]?.click())
  expect(screen.queryByText('One')).toBeNull()
  expect(screen.getByText('Two')).toBeVisible()
})

it('stands inside the top dialog while one is open, and outside again after it', async () => {
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

import { createEvent, fireEvent, render, renderHook, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Dialog } from '../dialog/dialog.tsx'
import { useShortcut } from './use-shortcut.ts'

const [onSearch, onStop] = [vi.fn(), vi.fn()]

beforeEach(() => {
  onSearch.mockClear()
  onStop.mockClear()
  renderHook(() => {
    useShortcut('mod+k', onSearch)
    useShortcut('escape', onStop)
  })
})

/** Answers whether the browser is kept from acting on the key. */
function press(element: Element, init: KeyboardEventInit): boolean {
  const event = createEvent.keyDown(element, init)
  fireEvent(element, event)
  return event.defaultPrevented
}

const search = { key: 'k', ctrlKey: true }
const stop = { key: 'Escape' }

it('acts in place of the browser', () => {
  expect(press(document.body, search)).toBe(true)
  expect(press(document.body, stop)).toBe(true)
  expect(onSearch).toHaveBeenCalledOnce()
  expect(onStop).toHaveBeenCalledOnce()
})

describe('over a dialog', () => {
  it("does nothing, and neither does the browser, but Escape is the dialog's own", () => {
    render(<Dialog title="Search chats" onClose={vi.fn()} />)
    const dialog = screen.getByRole('dialog')
    expect(press(dialog, search)).toBe(true)
    expect(press(dialog, stop)).toBe(false)
    expect(onSearch).not.toHaveBeenCalled()
    expect(onStop).not.toHaveBeenCalled()
  })
})

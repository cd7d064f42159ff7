import { createEvent, fireEvent, render, renderHook, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Dialog } from '../dialog/dialog.tsx'
import { formatAriaShortcut, matchesShortcut, useShortcut } from './shortcut.ts'

it('writes the keys of a shortcut for screen readers as ARIA names them', () => {
  expect(formatAriaShortcut('mod+shift+o')).toBe('Control+Shift+O')
  expect(formatAriaShortcut('escape')).toBe('Escape')
})

describe('matching a shortcut', () => {
  const press = (key: string, modifiers: Partial<KeyboardEvent> = {}) =>
    new KeyboardEvent('keydown', { key, ...modifiers })

  it('accepts exactly the keys that the shortcut names', () => {
    expect(matchesShortcut(press('k', { ctrlKey: true }), 'mod+k')).toBe(true)
    expect(matchesShortcut(press('K', { ctrlKey: true, shiftKey: true }), 'mod+k')).toBe(false)
    expect(matchesShortcut(press('O', { ctrlKey: true, shiftKey: true }), 'mod+shift+o')).toBe(true)
    expect(matchesShortcut(press('k'), 'mod+k')).toBe(false)
    expect(matchesShortcut(press('k', { ctrlKey: true, altKey: true }), 'mod+k')).toBe(false)
    expect(matchesShortcut(press('Escape'), 'escape')).toBe(true)
  })
})

describe('a shortcut of the page', () => {
  const [onSearch, onStop] = [vi.fn(), vi.fn()]
  const search = { key: 'k', ctrlKey: true }
  const stop = { key: 'Escape' }

  beforeEach(() => {
    renderHook(() => {
      useShortcut('mod+k', onSearch)
      useShortcut('escape', onStop)
    })
  })

  /** Returns whether the browser's own action was prevented. */
  function press(element: Element, init: KeyboardEventInit): boolean {
    const event = createEvent.keyDown(element, init)
    fireEvent(element, event)
    return event.defaultPrevented
  }

  it("runs and prevents the browser's own action", () => {
    expect(press(document.body, search)).toBe(true)
    expect(press(document.body, stop)).toBe(true)
    expect(onSearch).toHaveBeenCalledOnce()
    expect(onStop).toHaveBeenCalledOnce()
  })

  it('is left to the browser when the page does not want it, or while a dialog is open if it is one of its own', () => {
    renderHook(() => {
      useShortcut('mod+f', () => false)
      useShortcut('mod+p', onSearch, 'browser')
    })
    expect(press(document.body, { key: 'f', ctrlKey: true })).toBe(false)
    expect(press(document.body, { key: 'p', ctrlKey: true })).toBe(true)
    onSearch.mockClear()
    render(<Dialog title="Search chats" onClose={vi.fn()} />)
    expect(press(screen.getByRole('dialog'), { key: 'p', ctrlKey: true })).toBe(false)
    expect(onSearch).not.toHaveBeenCalled()
  })

  it("does nothing while a dialog is open and prevents the browser's action, except for Escape", () => {
    render(<Dialog title="Search chats" onClose={vi.fn()} />)
    const dialog = screen.getByRole('dialog')
    expect(press(dialog, search)).toBe(true)
    expect(press(dialog, stop)).toBe(false)
    expect(onSearch).not.toHaveBeenCalled()
    expect(onStop).not.toHaveBeenCalled()
  })
})

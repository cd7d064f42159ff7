import { act, fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Dialog } from '../dialog/dialog.tsx'
import { Menu, MenuItem } from './menu.tsx'

const onFirst = vi.fn()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame'] })
  render(
    <Menu label="Account" trigger="A">
      <MenuItem onSelect={onFirst}>First</MenuItem>
      <MenuItem onSelect={vi.fn()}>Second</MenuItem>
    </Menu>,
  )
})

afterEach(() => {
  vi.useRealTimers()
})

const trigger = () => screen.getByRole('button', { name: 'Account' })
const menu = () => screen.queryByRole('menu', { name: 'Account' })
const item = (name: string) => screen.getByRole('menuitem', { name })
const around = () => trigger().parentElement as HTMLElement
const wait = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))
const enter = (pointerType: string) => fireEvent.pointerEnter(around(), { pointerType })
const hover = (pointerType = 'mouse') => {
  enter(pointerType)
  fireEvent.pointerMove(trigger(), { pointerType })
}
const leave = () => fireEvent.pointerLeave(around(), { pointerType: 'mouse' })

async function openByKeys() {
  act(() => trigger().focus())
  fireEvent.keyDown(trigger(), { key: 'ArrowDown' })
  await wait(20)
}

describe('with a pointer', () => {
  it('opens on hover and closes 100 ms after the pointer leaves (§2.18, §9.12)', async () => {
    expect(menu()).toBeNull()
    hover()
    expect(menu()).toBeVisible()
    expect(trigger()).toHaveAttribute('aria-expanded', 'true')
    leave()
    await wait(99)
    expect(menu()).toBeVisible()
    await wait(1)
    expect(menu()).toBeNull()
  })

  it('stays open when the pointer returns within 100 ms (§2.18)', async () => {
    hover()
    leave()
    await wait(60)
    hover()
    await wait(500)
    expect(menu()).toBeVisible()
  })

  it('stays open on the click of the pointer that opened it, and closes on the next', () => {
    hover()
    fireEvent.click(trigger(), { detail: 1 })
    expect(menu()).toBeVisible()
    fireEvent.click(trigger(), { detail: 1 })
    expect(menu()).toBeNull()
  })

  it('closes on a click after the keyboard focus has opened it, even if hovering opened it before', async () => {
    hover()
    leave()
    await wait(100)
    act(() => trigger().focus())
    fireEvent.focus(trigger())
    expect(menu()).toBeVisible()
    fireEvent.click(trigger(), { detail: 1 })
    expect(menu()).toBeNull()
  })

  it('stays closed when an element above it disappears under a resting pointer', () => {
    enter('mouse')
    expect(menu()).toBeNull()
  })

  it('opens on a tap, and closes on a press elsewhere', () => {
    hover('touch')
    expect(menu()).toBeNull()
    fireEvent.click(trigger(), { detail: 1 })
    expect(menu()).toBeVisible()
    fireEvent.pointerDown(document.body)
    expect(menu()).toBeNull()
  })
})

describe('opened by hover while the focus is elsewhere', () => {
  const beneath = vi.fn()
  const pressEscape = () => fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' })

  beforeEach(() => window.addEventListener('keydown', beneath))

  afterEach(() => window.removeEventListener('keydown', beneath))

  it('closes on Escape, which has no other effect, and does not move the focus', () => {
    render(<textarea aria-label="Message" onKeyDown={beneath} />)
    act(() => screen.getByLabelText('Message').focus())
    hover()
    pressEscape()
    expect(menu()).toBeNull()
    expect(beneath).not.toHaveBeenCalled()
    expect(screen.getByLabelText('Message')).toHaveFocus()
    pressEscape()
    expect(beneath).toHaveBeenCalled()
  })

  it('does not close on Escape while a dialog is open above it', () => {
    hover()
    render(<Dialog title="Search" onClose={vi.fn()} />)
    pressEscape()
    expect(menu()).toBeVisible()
    expect(beneath).toHaveBeenCalledOnce()
  })
})

describe('with the keyboard', () => {
  it('moves the focus on arrow keys, with wrapping, and on Home and End', async () => {
    await openByKeys()
    expect(item('First')).toHaveFocus()
    for (const [key, name] of [
      ['ArrowDown', 'Second'],
      ['ArrowDown', 'First'],
      ['ArrowUp', 'Second'],
      ['Home', 'First'],
      ['End', 'Second'],
    ] as const) {
      fireEvent.keyDown(document.activeElement as Element, { key })
      expect(item(name)).toHaveFocus()
    }
  })

  it('closes on Escape, and stays closed when the focus returns to the trigger', async () => {
    const beneath = vi.fn()
    document.addEventListener('keydown', beneath)
    await openByKeys()
    fireEvent.keyDown(item('First'), { key: 'Escape' })
    expect(menu()).toBeNull()
    expect(trigger()).toHaveFocus()
    expect(beneath.mock.calls.filter(([event]) => (event as KeyboardEvent).key === 'Escape')).toEqual([])
    document.removeEventListener('keydown', beneath)
  })

  it.each([
    ['ArrowDown', 'First'],
    ['ArrowUp', 'Second'],
  ])('opens on %s and moves the focus into it', (key, name) => {
    act(() => trigger().focus())
    fireEvent.keyDown(trigger(), { key })
    expect(item(name)).toHaveFocus()
  })

  it('focuses its first item when Enter, Space or a screen reader opens it', () => {
    fireEvent.click(trigger(), { detail: 0 })
    expect(item('First')).toHaveFocus()
  })

  it('moves the focus into it again after Escape has closed it', () => {
    act(() => trigger().focus())
    fireEvent.click(trigger(), { detail: 0 })
    fireEvent.keyDown(item('First'), { key: 'Escape' })
    expect(trigger()).toHaveFocus()
    fireEvent.click(trigger(), { detail: 0 })
    expect(item('First')).toHaveFocus()
  })

  it('moves the focus into it each time when its items are links', () => {
    render(
      <MemoryRouter>
        <Menu label="Pages" trigger="P">
          <MenuItem to="/terms">Terms</MenuItem>
          <MenuItem onSelect={vi.fn()}>Other</MenuItem>
        </Menu>
      </MemoryRouter>,
    )
    const pages = screen.getByRole('button', { name: 'Pages' })
    for (let times = 0; times < 2; times += 1) {
      act(() => pages.focus())
      fireEvent.click(pages, { detail: 0 })
      expect(item('Terms')).toHaveFocus()
      fireEvent.keyDown(item('Terms'), { key: 'Escape' })
    }
  })

  it('moves the focus into a menu that the keyboard focus has opened already', () => {
    act(() => trigger().focus())
    fireEvent.focus(trigger())
    hover()
    fireEvent.click(trigger(), { detail: 0 })
    expect(item('First')).toHaveFocus()
  })

  it('does not choose its first item while the Enter that opened it is held', () => {
    fireEvent.click(trigger(), { detail: 0 })
    expect(fireEvent.keyDown(item('First'), { key: 'Enter', repeat: true })).toBe(false)
    expect(fireEvent.keyDown(item('First'), { key: 'Enter' })).toBe(true)
  })

  it('closes on Tab, and the focus continues from the trigger', async () => {
    await openByKeys()
    expect(fireEvent.keyDown(item('First'), { key: 'Tab' })).toBe(true)
    expect(menu()).toBeNull()
    expect(trigger()).toHaveFocus()
  })

  it('closes when the focus moves elsewhere, and does not move it back', async () => {
    render(<textarea aria-label="Message" />)
    await openByKeys()
    act(() => screen.getByLabelText('Message').focus())
    expect(menu()).toBeNull()
    expect(screen.getByLabelText('Message')).toHaveFocus()
  })
})

it('runs the command of a chosen item, and closes', () => {
  fireEvent.click(trigger(), { detail: 1 })
  fireEvent.click(item('First'))
  expect(onFirst).toHaveBeenCalledOnce()
  expect(menu()).toBeNull()
})

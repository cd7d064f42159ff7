import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Dialog } from '../dialog/dialog.tsx'
import { MenuItem } from './menu-item.tsx'
import { Menu } from './menu.tsx'

const onFirst = vi.fn()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame'] })
  onFirst.mockClear()
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

  it('stays when the pointer comes back in time (§2.18)', async () => {
    hover()
    leave()
    await wait(60)
    hover()
    await wait(500)
    expect(menu()).toBeVisible()
  })

  it('is kept by the click of the pointer that opened it, and closed by the next', () => {
    hover()
    fireEvent.click(trigger())
    expect(menu()).toBeVisible()
    fireEvent.click(trigger())
    expect(menu()).toBeNull()
  })

  it('stays closed under a pointer that rests while what lay over it goes away', () => {
    enter('mouse')
    expect(menu()).toBeNull()
  })

  it('opens by a tap, and closes by a press elsewhere', () => {
    hover('touch')
    expect(menu()).toBeNull()
    fireEvent.click(trigger())
    expect(menu()).toBeVisible()
    fireEvent.pointerDown(document.body)
    expect(menu()).toBeNull()
  })
})

describe('opened by hover while the focus is elsewhere', () => {
  const beneath = vi.fn()
  const pressEscape = () => fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' })

  beforeEach(() => {
    beneath.mockClear()
    window.addEventListener('keydown', beneath)
  })

  afterEach(() => window.removeEventListener('keydown', beneath))

  it('closes by Escape, which goes no further, and leaves the focus there', () => {
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

  it('leaves Escape to a dialog over it', () => {
    hover()
    render(<Dialog title="Search" onClose={vi.fn()} />)
    pressEscape()
    expect(menu()).toBeVisible()
    expect(beneath).toHaveBeenCalledOnce()
  })
})

describe('with the keyboard', () => {
  it('moves by arrow keys around the ends, Home, End and first letters', async () => {
    await openByKeys()
    expect(item('First')).toHaveFocus()
    for (const [key, name] of [
      ['ArrowDown', 'Second'],
      ['ArrowDown', 'First'],
      ['ArrowUp', 'Second'],
      ['Home', 'First'],
      ['End', 'Second'],
      ['f', 'First'],
    ] as const) {
      fireEvent.keyDown(document.activeElement as Element, { key })
      expect(item(name)).toHaveFocus()
    }
  })

  it('closes by Escape alone, and the focus returns without opening it again', async () => {
    const beneath = vi.fn()
    document.addEventListener('keydown', beneath)
    await openByKeys()
    fireEvent.keyDown(item('First'), { key: 'Escape' })
    expect(menu()).toBeNull()
    expect(trigger()).toHaveFocus()
    expect(beneath.mock.calls.filter(([event]) => (event as KeyboardEvent).key === 'Escape')).toEqual([])
    document.removeEventListener('keydown', beneath)
  })

  it('closes by Tab', async () => {
    await openByKeys()
    fireEvent.keyDown(item('First'), { key: 'Tab' })
    expect(menu()).toBeNull()
  })
})

it('acts and closes when an item is chosen', () => {
  fireEvent.click(trigger())
  fireEvent.click(item('First'))
  expect(onFirst).toHaveBeenCalledOnce()
  expect(menu()).toBeNull()
})

import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { IconButton } from '../button/icon-button.tsx'
import { Dialog } from '../dialog/dialog.tsx'
import { TextInput } from '../form/text-input.tsx'
import { placeTooltip } from './tooltip.tsx'

const wait = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))
const control = (name: string) => screen.getByRole('button', { name })
const tooltip = (text: string) => screen.queryByText(text, { ignore: 'button' })
const enter = (name: string, pointerType = 'mouse') => {
  fireEvent.pointerEnter(control(name).parentElement as Element, { pointerType })
}
const leave = (name: string) => fireEvent.pointerLeave(control(name).parentElement as Element)

async function hover(name: string) {
  enter(name)
  await wait(400)
}

beforeEach(() => {
  vi.useFakeTimers()
  // Long after the tooltip of the previous test closed, so that its delay is not skipped.
  vi.setSystemTime(Date.now() + 60_000)
  render(
    <>
      <IconButton label="Search" shortcut="mod+k">
        S
      </IconButton>
      <IconButton label="Stop">X</IconButton>
    </>,
  )
})

afterEach(() => vi.useRealTimers())

it('opens when the pointer has rested on the control, and closes when it leaves', async () => {
  enter('Search')
  await wait(399)
  expect(tooltip('Search')).toBeNull()
  await wait(1)
  expect(tooltip('Search')).toHaveTextContent('SearchCtrl K')
  leave('Search')
  expect(tooltip('Search')).toBeNull()
})

it('opens without delay for the next control, and closes the previous tooltip', async () => {
  await hover('Search')
  leave('Search')
  enter('Stop')
  await wait(0)
  expect(tooltip('Stop')).toBeInTheDocument()
  act(() => control('Search').focus())
  expect(tooltip('Search')).toBeInTheDocument()
  expect(tooltip('Stop')).toBeNull()
})

it('opens on keyboard focus after a press that ended outside of the control', () => {
  fireEvent.pointerDown(control('Stop'))
  act(() => control('Stop').focus())
  expect(tooltip('Stop')).toBeNull()
  leave('Stop')
  act(() => control('Stop').blur())
  act(() => control('Stop').focus())
  expect(tooltip('Stop')).toBeInTheDocument()
})

it('does not open on touch', async () => {
  enter('Search', 'touch')
  await wait(1000)
  expect(tooltip('Search')).toBeNull()
})

it('stays while the pointer is on the bubble (WCAG 1.4.13)', async () => {
  await hover('Search')
  const bubble = tooltip('Search') as Element
  fireEvent.pointerOut(control('Search'), { relatedTarget: bubble })
  fireEvent.pointerOver(bubble, { relatedTarget: control('Search') })
  await wait(1000)
  expect(tooltip('Search')).toBeInTheDocument()
})

it('closes on Escape wherever the focus is, and Escape has no other effect (WCAG 1.4.13)', async () => {
  const beneath = vi.fn()
  window.addEventListener('keydown', beneath)
  await hover('Stop')
  expect(fireEvent.keyDown(document.body, { key: 'Escape' })).toBe(false)
  expect(tooltip('Stop')).toBeNull()
  expect(beneath).not.toHaveBeenCalled()
  expect(fireEvent.keyDown(document.body, { key: 'Escape' })).toBe(true)
  expect(beneath).toHaveBeenCalledOnce()
  window.removeEventListener('keydown', beneath)
})

it('closes on a press and when the control loses the focus', async () => {
  act(() => control('Search').focus())
  expect(tooltip('Search')).toBeInTheDocument()
  act(() => control('Search').blur())
  expect(tooltip('Search')).toBeNull()
  await hover('Stop')
  fireEvent.pointerDown(control('Stop'))
  expect(tooltip('Stop')).toBeNull()
})

it('closes when scrolling or resizing moves its control, and stays otherwise', async () => {
  await hover('Search')
  fireEvent.scroll(document)
  expect(tooltip('Search')).toBeInTheDocument()
  const anchor = control('Search').parentElement as Element
  anchor.getBoundingClientRect = () => new DOMRect(0, 40, 36, 36)
  fireEvent.scroll(document)
  expect(tooltip('Search')).toBeNull()
  leave('Search')
  await hover('Stop')
  const other = control('Stop').parentElement as Element
  other.getBoundingClientRect = () => new DOMRect(90, 0, 36, 36)
  fireEvent(window, new Event('resize'))
  expect(tooltip('Stop')).toBeNull()
})

it('closes when a dialog covers its control', async () => {
  await hover('Search')
  render(<Dialog title="Add" onClose={vi.fn()} />)
  expect(tooltip('Search')).toBeNull()
})

it('does not open when a dialog moves the focus to its control', () => {
  const { unmount } = render(
    <Dialog title="Add" onClose={vi.fn()}>
      <TextInput aria-label="Name" />
    </Dialog>,
  )
  expect(tooltip('Close')).toBeNull()
  unmount()
})

it('stays inside the window at every edge', () => {
  const bubble = document.createElement('span')
  const button = document.createElement('button')
  bubble.getBoundingClientRect = () => new DOMRect(0, 0, 100, 30)
  vi.spyOn(document.documentElement, 'clientWidth', 'get').mockReturnValue(400)
  const place = (x: number, y: number) => {
    button.getBoundingClientRect = () => new DOMRect(x, y, 36, 36)
    placeTooltip(bubble, button)
    return [bubble.style.left, bubble.style.top]
  }
  expect(place(182, 10)).toEqual(['150px', '46px'])
  expect(place(0, 10)).toEqual(['6px', '46px'])
  expect(place(364, 10)).toEqual(['294px', '46px'])
  expect(place(182, window.innerHeight - 40)).toEqual(['150px', `${window.innerHeight - 70}px`])
  vi.restoreAllMocks()
})

import { fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { SecretField } from './secret-field.tsx'

const mask = 'sk-a••••••••mnop'

function Box() {
  const [value, setValue] = useState(mask)
  return (
    <SecretField label="Key" stored={mask} value={value} onChange={(event) => setValue(event.target.value)} />
  )
}

function placeCaret(box: HTMLInputElement, at: number): readonly (number | null)[] {
  box.focus()
  box.setSelectionRange(at, at)
  fireEvent.select(box)
  return [box.selectionStart, box.selectionEnd]
}

it('selects a mask as a whole, and allows typed text to be edited', () => {
  render(<Box />)
  const box = screen.getByLabelText<HTMLInputElement>('Key')
  expect(box).toHaveAttribute('type', 'password')
  expect(placeCaret(box, 5)).toEqual([0, mask.length])
  // `fireEvent` returns whether the browser may place the caret.
  expect(fireEvent.mouseDown(box)).toBe(false)
  fireEvent.change(box, { target: { value: 'new key' } })
  expect(placeCaret(box, 5)).toEqual([5, 5])
  expect(fireEvent.mouseDown(box)).toBe(true)
})

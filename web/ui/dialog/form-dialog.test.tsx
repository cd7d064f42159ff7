import { fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { FormDialog } from './form-dialog.tsx'

function Scene() {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {isOpen && (
        <FormDialog title="Edit" changes={text === '' ? 'none' : 'unsaved'} onClose={() => setOpen(false)}>
          <input aria-label="Name" value={text} onChange={(event) => setText(event.target.value)} />
          <input aria-label="Search" type="search" />
          <button type="button" onClick={() => setOpen(false)}>
            Cancel
          </button>
        </FormDialog>
      )}
    </>
  )
}

async function open(text = '') {
  render(<Scene />)
  await userEvent.click(screen.getByRole('button', { name: 'Open' }))
  if (text !== '') await userEvent.type(screen.getByLabelText('Name'), text)
}

const form = () => screen.queryByRole('dialog', { name: 'Edit' })
const question = () => screen.queryByRole('alertdialog', { name: 'Discard changes?' })
const escape = (target: Element) => fireEvent.keyDown(target, { key: 'Escape' })

it('asks before Escape, the close button and the backdrop close a form with changes', async () => {
  await open('Ada')
  expect(escape(screen.getByLabelText('Name'))).toBe(false)
  expect(question()).toHaveAccessibleDescription('What you entered has not been saved.')
  await userEvent.click(screen.getByRole('button', { name: 'Keep editing' }))
  expect(question()).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  await userEvent.click(screen.getByRole('button', { name: 'Keep editing' }))
  await userEvent.click(form()!)
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
  expect(form()).toBeNull()
  expect(question()).toBeNull()
})

it('closes a form without changes, and with Cancel also one with changes, at once', async () => {
  await open()
  expect(escape(screen.getByLabelText('Name'))).toBe(true)
  fireEvent(form()!, new Event('cancel', { cancelable: true }))
  expect(form()).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Open' }))
  await userEvent.type(screen.getByLabelText('Name'), 'Ada')
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(form()).toBeNull()
  expect(question()).toBeNull()
})

it('leaves Escape to a search box with a text, and to what has handled it already', async () => {
  await open('Ada')
  await userEvent.type(screen.getByLabelText('Search'), 'x')
  expect(escape(screen.getByLabelText('Search'))).toBe(true)
  const handled = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true })
  handled.preventDefault()
  screen.getByLabelText('Name').dispatchEvent(handled)
  expect(question()).toBeNull()
})

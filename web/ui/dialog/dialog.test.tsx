import { createEvent, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { Select } from '../form/select.tsx'
import { TextInput } from '../form/text-input.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Dialog } from './dialog.tsx'
import { SidePanel } from './side-panel.tsx'

function pressBackdrop(dialog: HTMLElement) {
  fireEvent.pointerDown(dialog)
  fireEvent.click(dialog)
}

describe('a dialog', () => {
  it('is modal, has a name and a description, and focuses its first field', () => {
    render(
      <Dialog title="Add" description="One more." onClose={vi.fn()}>
        <TextInput aria-label="Name" />
      </Dialog>,
    )
    const dialog = screen.getByRole('dialog', { name: 'Add' })
    expect(dialog).toHaveAttribute('open')
    expect(dialog).toHaveAccessibleDescription('One more.')
    expect(screen.getByLabelText('Name')).toHaveFocus()
  })

  it('focuses the field that requests the initial focus, and never a disabled one', () => {
    const { unmount } = render(
      <Dialog title="Edit" onClose={vi.fn()}>
        <Select aria-label="Kind" disabled />
        <TextInput aria-label="Name" />
        <TextInput aria-label="Key" data-initial-focus />
      </Dialog>,
    )
    expect(screen.getByLabelText('Key')).toHaveFocus()
    unmount()
    render(
      <Dialog title="Edit" onClose={vi.fn()}>
        <Select aria-label="Kind" disabled />
        <TextInput aria-label="Name" />
      </Dialog>,
    )
    expect(screen.getByLabelText('Name')).toHaveFocus()
  })

  it('closes on its button, its backdrop and Escape, but not on a click inside', () => {
    const onClose = vi.fn()
    render(
      <Dialog title="Add" onClose={onClose}>
        <p>Inside</p>
      </Dialog>,
    )
    const dialog = screen.getByRole('dialog')
    fireEvent.click(screen.getByText('Inside'))
    expect(onClose).not.toHaveBeenCalled()
    fireEvent.click(screen.getByRole('button', { name: 'Close' }))
    expect(onClose).toHaveBeenCalledTimes(1)
    pressBackdrop(dialog)
    expect(onClose).toHaveBeenCalledTimes(2)
    // The browser sends this for Escape. The owner closes the dialog, so the browser must not.
    const cancel = createEvent('cancel', dialog, { cancelable: true })
    fireEvent(dialog, cancel)
    expect(onClose).toHaveBeenCalledTimes(3)
    expect(cancel.defaultPrevented).toBe(true)
  })

  it.each([
    ['dialog', Dialog],
    ['side panel', SidePanel],
  ])('stays open when a press that began inside ends on the backdrop: %s', (_, Modal) => {
    const onClose = vi.fn()
    render(
      <Modal title="Add" onClose={onClose}>
        <p>Inside</p>
      </Modal>,
    )
    const dialog = screen.getByRole('dialog')
    fireEvent.pointerDown(screen.getByText('Inside'))
    // The browser sends the click of a text selection that ends beside the panel here.
    fireEvent.click(dialog)
    expect(onClose).not.toHaveBeenCalled()
    pressBackdrop(dialog)
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('closes without the dialog below it', () => {
    const [closeLower, closeUpper] = [vi.fn(), vi.fn()]
    render(
      <Dialog title="Lower" onClose={closeLower}>
        <Dialog title="Upper" onClose={closeUpper} />
      </Dialog>,
    )
    const upper = screen.getByRole('dialog', { name: 'Upper' })
    fireEvent(upper, createEvent('cancel', upper, { cancelable: true }))
    pressBackdrop(upper)
    expect(closeUpper).toHaveBeenCalledTimes(2)
    expect(closeLower).not.toHaveBeenCalled()
  })
})

describe('a confirmation', () => {
  it('focuses Cancel, and runs the action on the button that names it', async () => {
    const [onConfirm, onDone, onCancel] = [vi.fn(async () => true), vi.fn(), vi.fn()]
    render(
      <ConfirmDialog
        title="Delete it"
        message="Sure?"
        action="Delete"
        onConfirm={onConfirm}
        onDone={onDone}
        onCancel={onCancel}
      />,
    )
    expect(screen.getByRole('alertdialog', { name: 'Delete it' })).toHaveAccessibleDescription('Sure?')
    expect(screen.getByRole('button', { name: 'Cancel' })).toHaveFocus()
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(onCancel).toHaveBeenCalledOnce()
    expect(onConfirm).not.toHaveBeenCalled()
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }))
    expect(onConfirm).toHaveBeenCalledOnce()
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce())
  })

  it('ignores a second confirmation while the first is pending, and accepts another after a failure', async () => {
    let end: (isDone: boolean) => void = () => undefined
    const onConfirm = vi.fn(() => new Promise<boolean>((resolve) => (end = resolve)))
    const onDone = vi.fn()
    render(
      <ConfirmDialog
        title="T"
        message="M"
        action="Delete"
        onConfirm={onConfirm}
        onDone={onDone}
        onCancel={vi.fn()}
      />,
    )
    const button = screen.getByRole('button', { name: 'Delete' })
    fireEvent.click(button)
    fireEvent.click(button)
    expect(onConfirm).toHaveBeenCalledOnce()
    end(false)
    await waitFor(() => expect(button).not.toHaveAttribute('aria-busy'))
    fireEvent.click(button)
    expect(onConfirm).toHaveBeenCalledTimes(2)
    expect(onDone).not.toHaveBeenCalled()
  })
})

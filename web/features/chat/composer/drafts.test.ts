import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { drafts, restoreDraft, useDraft } from './drafts.ts'

const key = 'chat_c1_draft'

function open(first = key) {
  const view = renderHook((shown: string) => useDraft(shown), { initialProps: first })
  return {
    ...view,
    text: () => view.result.current[0],
    type: (text: string) => act(() => view.result.current[1](text)),
  }
}

test('begins with the stored text, stores every change, and removes an empty text', () => {
  localStorage.setItem(key, 'before')
  const box = open()
  expect(box.text()).toBe('before')
  box.type('after')
  expect(box.text()).toBe('after')
  expect(localStorage.getItem(key)).toBe('after')
  box.type('')
  expect(box.text()).toBe('')
  expect(localStorage.getItem(key)).toBeNull()
})

test('keeps its text when another tab stores one under the same key (§10.23)', () => {
  const box = open()
  box.type('typed here')
  localStorage.setItem(key, 'typed there')
  box.rerender(key)
  expect(box.text()).toBe('typed here')
  localStorage.removeItem(key)
  box.rerender(key)
  expect(box.text()).toBe('typed here')
})

test('restores a text before the text of the open box, whatever another tab has stored', () => {
  const box = open()
  box.type('typed here')
  localStorage.setItem(key, 'typed there')
  act(() => restoreDraft('c1', 'not sent'))
  expect(box.text()).toBe('not sent\n\ntyped here')
  expect(localStorage.getItem(key)).toBe('not sent\n\ntyped here')
})

test('restores a text into a box that was just emptied', () => {
  const box = open()
  box.type('sent')
  act(() => {
    drafts.write(key, '')
    restoreDraft('c1', 'not sent')
  })
  expect(box.text()).toBe('not sent')
})

test('is read from the storage again when the box is opened again, or for another chat', () => {
  const box = open()
  box.type('of c1')
  localStorage.setItem('chat_c2_draft', 'of c2')
  box.rerender('chat_c2_draft')
  expect(box.text()).toBe('of c2')
  box.unmount()
  localStorage.setItem(key, 'of c1, by another tab')
  expect(open().text()).toBe('of c1, by another tab')
})

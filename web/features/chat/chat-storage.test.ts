import { act, renderHook } from '@testing-library/react'
import type { MessageContent } from '@yonder/contract/message'
import { toContent } from '@yonder/contract/message-text'
import { someContents } from '@yonder/contract/testing/contents'
import { expect, it, test } from 'vitest'
import {
  drafts,
  formatContent,
  parseContent,
  personalStorage,
  restoreDraft,
  storageKeys,
  useDraft,
} from './chat-storage.ts'

const texts = [
  storageKeys.homeDraft,
  storageKeys.homeOutbox('r_1'),
  storageKeys.draft('c_1'),
  storageKeys.edit('c_1', 'm_1'),
  storageKeys.summary('c_1', 's_1'),
  storageKeys.outbox('c_1'),
  storageKeys.newMessage('c_2'),
  storageKeys.newBot('c_2'),
  'chat_c_1_question_a_1',
]
const choices = [storageKeys.homeBot, storageKeys.chatBot('c_1')]
/** Settings of the browser, and keys of other programs. */
const others = ['theme', 'showMcpLogs', 'imageSites_ada', 'yonder.sign-in:issuer:client', 'chat_settings']

function fill() {
  for (const key of [...texts, ...choices, ...others]) localStorage.setItem(key, 'something')
}
const stored = () => [...texts, ...choices, ...others].filter((key) => localStorage.getItem(key) !== null)

it('keeps all entries of the same user, and entries from before owners were stored', () => {
  fill()
  personalStorage.setOwner('ada')
  personalStorage.setOwner('ada')
  expect(stored()).toEqual([...texts, ...choices, ...others])
})

it('removes the entries of another user, and keeps the settings of the browser', () => {
  personalStorage.setOwner('ada')
  fill()
  personalStorage.setOwner('eve')
  expect(stored()).toEqual(others)
})

it('removes texts on sign-out, and choices when another user signs in', () => {
  personalStorage.setOwner('ada')
  fill()
  personalStorage.clearTexts()
  expect(stored()).toEqual([...choices, ...others])
  personalStorage.setOwner('ada')
  expect(stored()).toEqual([...choices, ...others])
})

it('gives what was not sent to the server and back, but no answer to an elicitation', () => {
  personalStorage.setOwner('ada')
  expect(personalStorage.mayTakeBack()).toBe(false)
  fill()
  const unsent = personalStorage.readUnsent()
  expect(Object.keys(unsent).sort()).toEqual(texts.filter((key) => !key.includes('_question_')).sort())
  personalStorage.clearTexts()
  personalStorage.setOwner('ada')
  expect(personalStorage.mayTakeBack()).toBe(true)
  localStorage.setItem('home_page_draft', 'written since')
  localStorage.setItem('chat_c_1_edit_m_1', 'edited since')
  personalStorage.restoreUnsent({ ...unsent, home_page_selected_bot: 'forged', chat_1_question_2: 'forged' })
  expect(personalStorage.readUnsent()).toEqual({
    ...unsent,
    home_page_draft: 'something\n\nwritten since',
    chat_c_1_edit_m_1: 'edited since',
  })
  expect(localStorage.getItem('home_page_selected_bot')).not.toBe('forged')
  expect(personalStorage.mayTakeBack()).toBe(false)
})

const key = 'chat_c1_draft'

function open(first = key) {
  const view = renderHook((shown: string) => useDraft(shown), { initialProps: first })
  return {
    ...view,
    text: () => view.result.current[0],
    type: (content: MessageContent) => act(() => view.result.current[1](content)),
  }
}

test('shows the stored text, stores every change, and removes an empty text', () => {
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

test('keeps its text when another tab stores one under the same key', () => {
  const box = open()
  box.type('typed here')
  localStorage.setItem(key, 'typed there')
  box.rerender(key)
  expect(box.text()).toBe('typed here')
  localStorage.removeItem(key)
  box.rerender(key)
  expect(box.text()).toBe('typed here')
})

test('restores a text before the text in the input, not before the text of another tab', () => {
  const box = open()
  box.type('typed here')
  localStorage.setItem(key, 'typed there')
  act(() => restoreDraft(key, 'not sent'))
  expect(box.text()).toBe('not sent\n\ntyped here')
  expect(localStorage.getItem(key)).toBe('not sent\n\ntyped here')
})

test('restores a text into an input that was just emptied', () => {
  const box = open()
  box.type('sent')
  act(() => {
    drafts.write(key, '')
    restoreDraft(key, 'not sent')
  })
  expect(box.text()).toBe('not sent')
})

test.each(someContents.map((content) => ({ content })))(
  'stores $content, and a text as it is',
  ({ content }) => {
    const stored = formatContent(content)
    expect(parseContent(stored)).toEqual(content)
    if (typeof content === 'string') expect(stored).toBe(content)
  },
)

test('restores files before those in the input, each of them once', () => {
  const [cat, dog] = ['cat', 'dog'].map((id) => ({ id, name: `${id}.png`, type: 'image/png', size: 3 }))
  const box = open()
  box.type(toContent('typed here', [dog!]))
  for (let times = 0; times < 2; times++) act(() => restoreDraft(key, toContent('', [cat!, dog!])))
  expect(box.text()).toEqual(toContent('typed here', [cat!, dog!]))
  act(() => restoreDraft(key, 'not sent'))
  box.unmount()
  expect(open().text()).toEqual(toContent('not sent\n\ntyped here', [cat!, dog!]))
})

test('reads the stored text when an input is mounted, or its key changes', () => {
  const box = open()
  box.type('of c1')
  localStorage.setItem('chat_c2_draft', 'of c2')
  box.rerender('chat_c2_draft')
  expect(box.text()).toBe('of c2')
  box.unmount()
  localStorage.setItem(key, 'of c1, by another tab')
  expect(open().text()).toBe('of c1, by another tab')
})

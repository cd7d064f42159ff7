import { toContent } from '@yonder/contract/message-text'
import { expect, test } from 'vitest'
import { makeMessage, makeReply } from '../../../testing/wire-objects.ts'
import { findRefusedFile } from './refused-file.ts'

const [cat, dog] = ['cat.png', 'dog.png'].map((name) => ({ id: name, name, type: 'image/png', size: 3 }))
const question = makeMessage('u1', null, { content: toContent('Which one?', [cat!, dog!]) })
const later = makeMessage('u2', 'a1', { content: 'And now?' })
const failed = (message: string, more: object = {}) =>
  makeReply('a2', 'u2', { status: 'failed', error: { code: 'file_refused', message }, ...more })
const chat = [question, makeReply('a1', 'u1'), later]

test('finds the file that the error names in an earlier message', () => {
  expect(findRefusedFile(chat, failed('Wood refused it. This is about the file "dog.png".'))).toEqual({
    message: question,
    content: toContent('Which one?', [cat!]),
  })
})

test('finds nothing for another error, another file, and a message that would be blank', () => {
  expect(findRefusedFile(chat, failed('It is about "cow.png".'))).toBeUndefined()
  const other = { error: { code: 'upstream_error' as const, message: 'It is about "dog.png".' } }
  expect(findRefusedFile(chat, failed('', other))).toBeUndefined()
  const only = [{ ...question, content: toContent('', [dog!]) }, ...chat.slice(1)]
  expect(findRefusedFile(only, failed('It is about "dog.png".'))).toBeUndefined()
})

test('leaves the files of a tool alone, and ends in a broken tree', () => {
  const outcome = { status: 'done' as const, duration: 1, parts: [] }
  const result = { ...question, outcome }
  expect(findRefusedFile([result, ...chat.slice(1)], failed('About "dog.png".'))).toBeUndefined()
  const cycle = [{ ...later, parent_id: 'u2' }]
  expect(findRefusedFile(cycle, failed('About "dog.png".'))).toBeUndefined()
})

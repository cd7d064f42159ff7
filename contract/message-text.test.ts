import { describe, expect, it } from 'vitest'
import {
  contentOfMessage,
  countChars,
  countContent,
  cutText,
  deriveTitle,
  filesOfContent,
  isBlank,
  isSameContent,
  maxTitleSourceChars,
  textOfContent,
  toContent,
  withText,
  writeContent,
} from './message-text.ts'
import { MessageContent } from './message.ts'
import { someContents } from './testing/contents.ts'
import { wireMessage } from './testing/messages.ts'

it('joins the texts of content parts (§3.7)', () => {
  expect(textOfContent('Hello')).toBe('Hello')
  expect(textOfContent([{ text: 'Hel' }, { type: 'image' }, { text: 'lo' }])).toBe('Hello')
})

it('is a text without files, and else a list of parts', () => {
  const file = { id: 'f1', name: 'cat.png', type: 'image/png', size: 3 }
  const part = { type: 'file', file }
  expect(toContent('Hello', [])).toBe('Hello')
  expect(toContent('', [file])).toEqual([part])
  const content = toContent('Hello', [file])
  expect(content).toEqual([{ type: 'text', text: 'Hello' }, part])
  expect([textOfContent(content), filesOfContent(content)]).toEqual(['Hello', [file]])
})

describe.each(someContents.map((content) => ({ content })))('the content $content', ({ content }) => {
  const [text, files] = [textOfContent(content), filesOfContent(content)]

  it('is what its text and its files make, also on the wire and with another text', () => {
    expect(toContent(text, files)).toEqual(content)
    expect(MessageContent.parse(JSON.parse(JSON.stringify(content)))).toEqual(content)
    expect(withText(content, 'new')).toEqual(toContent('new', files))
    expect(withText(withText(content, ''), text)).toEqual(content)
  })

  it('is the same as content with the same text and files only', () => {
    for (const other of someContents) expect(isSameContent(content, other)).toBe(other === content)
  })

  it('is written and counted with each of its files', () => {
    const written = writeContent(content)
    expect(written.startsWith(text)).toBe(true)
    for (const { name, type, size } of files) expect(written).toContain(`"${name}" (${type}, ${size} bytes)`)
    if (files.length === 0) expect(written).toBe(text)
    expect(countContent(content)).toBe(written.length)
    const countFiles = (counted: string) => counted.split('The file').length - 1
    expect(countContent(content, countFiles)).toBe(files.length)
    expect(isBlank(content)).toBe(text.trim() === '' && files.length === 0)
  })

  it('keeps its files when its reply fails, and is counted without the error', () => {
    const failed = wireMessage({
      status: 'failed',
      content: withText(content, '**Error:** Down.'),
      partial: text,
    })
    expect(contentOfMessage(failed)).toEqual(content)
    expect(countChars(failed)).toBe(countContent(content))
  })
})

describe('a cut text', () => {
  it('has at most the given number of characters, and reports whether it was cut', () => {
    expect(cutText('abcd', 4)).toEqual({ text: 'abcd', isCut: false })
    expect(cutText('abcde', 4)).toEqual({ text: 'abcd', isCut: true })
  })

  it('counts an emoji and an accented letter as one character', () => {
    const family = '👩‍👩‍👧‍👦'
    expect(cutText(family.repeat(4), 4)).toEqual({ text: family.repeat(4), isCut: false })
    expect(cutText(family.repeat(5), 4)).toEqual({ text: family.repeat(4), isCut: true })
    expect(cutText('é'.repeat(5), 4).text).toBe('é'.repeat(4))
  })
})

describe('a title', () => {
  it('is the beginning of the text on one line', () => {
    expect(deriveTitle(' Two\n\n lines  here ', 9)).toEqual({ text: 'Two lines', isCut: true })
    expect(deriveTitle(' Two\n\n lines ', 9)).toEqual({ text: 'Two lines', isCut: false })
    expect(deriveTitle('', 9)).toEqual({ text: '', isCut: false })
  })

  it('is derived from the beginning of a long text only', () => {
    expect(deriveTitle(`${' '.repeat(maxTitleSourceChars)}late`, 9).text).toBe('')
  })
})

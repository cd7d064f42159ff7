import type { ChatSummary } from '@yonder/contract/chat'
import { describe, expect, it } from 'vitest'
import { measureCpuTime } from '../../testing/measure-cpu-time.ts'
import { makeChatSummary } from '../../testing/wire-objects.ts'
import { summarizeChat } from './history-results.tsx'

type Messages = ChatSummary['messages']

const summarize = (...messages: Messages) => summarizeChat(makeChatSummary({ messages }))
const user = (content: Messages[number]['content']): Messages[number] => ({ role: 'user', content })
const reply = (content: string, model = 'm'): Messages[number] => ({ role: 'assistant', content, model })

describe('a chat in the history', () => {
  it('is titled by the first 30 characters of its first message (§2.43, §9.6)', () => {
    const exact = 'x'.repeat(30)
    expect(summarize(user(exact))).toMatchObject({ title: exact, isTitleCut: false })
    expect(summarize(user(`${exact}yz`))).toMatchObject({ title: exact, isTitleCut: true })
  })

  it('counts a combined emoji or letter as one character (§9.6)', () => {
    expect(summarize(user('👩‍👩‍👧‍👦'.repeat(31))).title).toBe('👩‍👩‍👧‍👦'.repeat(30))
    expect(summarize(user('é'.repeat(40))).title).toBe('é'.repeat(30))
  })

  it('has a preview of 50 characters, with an ellipsis if it is longer (§2.43, §9.6)', () => {
    const exact = 'y'.repeat(50)
    expect(summarize(user('Hi'), reply(exact)).preview).toBe(exact)
    expect(summarize(user('Hi'), reply(`${exact}z`)).preview).toBe(`${exact}...`)
  })

  it('previews the last message that has text, on one line and without marks (§2.43)', () => {
    expect(summarize(user('Hi'), reply('One'), reply('## Two\n\n**bold** `code`')).preview).toBe(
      'Two bold code',
    )
    expect(summarize(user('Hi'), reply('')).preview).toBe('Hi')
  })

  it.each([
    ['1. **First**\n2. [a link](https://a.example) and ~~old~~', 'First a link and old'],
    ['> - [x] *done*\n\n```ts\nlet a = 1\n```', 'done let a = 1'],
    ['Use snake_case_name, 2 * 3 * 4', 'Use snake_case_name, 2 * 3 * 4'],
    ['---', '---'],
  ])('has a preview of %j without marks, like the list of contents (§2.43)', (content, preview) => {
    expect(summarize(user('Hi'), reply(content)).preview).toBe(preview)
  })

  it('shows the model of its second message (§2.43)', () => {
    expect(summarize(user('Hi'), reply('One', 'claude-x'), reply('Two', 'gemini-y')).model).toBe('claude-x')
    expect(summarize(user('Hi')).model).toBeUndefined()
  })

  it('has placeholders while it is empty (§2.46)', () => {
    expect(summarize()).toMatchObject({ title: 'New Chat', preview: 'Start a new conversation...' })
  })

  it("shows 'Message content' for a message without text (§2.46)", () => {
    const file = { id: 'f1', name: 'cat.png', type: 'image/png', size: 3 }
    expect(summarize(user([{ type: 'file', file }]))).toMatchObject({
      title: 'Message content',
      preview: 'Message content',
    })
    expect(
      summarize(
        user([
          { type: 'text', text: 'Two parts' },
          { type: 'file', file },
        ]),
      ).title,
    ).toBe('Two parts')
  })

  it('is fast with a message of a million characters', () => {
    const cpuMs = measureCpuTime()
    summarize(user('word '.repeat(200_000)))
    expect(cpuMs()).toBeLessThan(500)
  })
})

import { describe, expect, it } from 'vitest'
import { buildPrompt } from './build-prompt.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

describe('buildPrompt', () => {
  it('gives the turns in order', () => {
    const path = [user('a'), assistant('b'), user('c')]
    expect(buildPrompt(path)).toEqual(path)
  })

  it('leaves out a reply without text and joins the turns around it', () => {
    expect(buildPrompt([user('a'), assistant(' \n'), user('b'), assistant('c')])).toEqual([
      user('a\n\nb'),
      assistant('c'),
    ])
  })

  it('takes the newest of a path that is too long, beginning with the person', () => {
    const long = 'x'.repeat(3_000_000)
    expect(buildPrompt([user(long), assistant(long), user('now')])).toEqual([user('now')])
    expect(buildPrompt([user(long), assistant('short'), user(long), assistant('b'), user('c')])).toEqual([
      user(long),
      assistant('b'),
      user('c'),
    ])
  })
})

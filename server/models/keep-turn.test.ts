import { describe, expect, it } from 'vitest'
import { keepTurn } from './keep-turn.ts'

const keep = (...deltas: Record<string, unknown>[]) => {
  const turn = keepTurn()
  for (const delta of deltas) turn.push(delta)
  return turn.end()
}

describe('keepTurn', () => {
  it('keeps nothing of a turn without thinking', () => {
    expect(keep({ content: 'hello' }, { reasoning_content: '' })).toBeUndefined()
  })

  it('keeps thinking whole', () => {
    expect(keep({ reasoning_content: 'a' }, { content: 'x' }, { reasoning_content: 'b' })).toEqual({
      reasoning_content: 'ab',
    })
  })

  it('keeps details in order, and pieces of one text as one', () => {
    const text = { type: 'reasoning.text', index: 0 }
    const sealed = { type: 'reasoning.encrypted', index: 1, data: 'x' }
    expect(
      keep(
        { reasoning_details: [{ ...text, text: 'a' }] },
        { reasoning_details: [{ ...text, text: 'b', signature: 's' }] },
        { reasoning_details: [sealed, 'garbage', null] },
        { reasoning_details: [{ ...text, index: 2, text: 'c' }] },
      ),
    ).toEqual({
      reasoning_details: [{ ...text, text: 'ab', signature: 's' }, sealed, { ...text, index: 2, text: 'c' }],
    })
  })
})

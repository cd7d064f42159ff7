import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keepTurn, splitThinking } from './thinking.ts'
import { joinText } from '../reply-parts.ts'

const keep = (...deltas: Record<string, unknown>[]) => {
  const turn = keepTurn()
  for (const delta of deltas) turn.push(delta)
  return turn.end()
}

describe('keepTurn', () => {
  it('keeps nothing of a turn without reasoning', () => {
    expect(keep({ content: 'hello' }, { reasoning_content: '' })).toBeUndefined()
  })

  it('keeps reasoning completely', () => {
    expect(keep({ reasoning_content: 'a' }, { content: 'x' }, { reasoning_content: 'b' })).toEqual({
      reasoning_content: 'ab',
    })
  })

  it('keeps details in order, and joins the chunks of one text', () => {
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

function split(pieces: readonly string[]): { text: string; reasoning: string } {
  const said = { text: '', reasoning: '' }
  const splitter = splitThinking()
  const emit = (kind: 'text' | 'reasoning', text: string) => {
    said[kind] += text
  }
  for (const piece of pieces) splitter.push(piece, emit)
  splitter.end(emit)
  return said
}

/** The same text cut at arbitrary places. */
const cuts = (text: string) =>
  fc.array(fc.nat(text.length), { maxLength: 12 }).map((at) => {
    const ends = [0, ...at, text.length].sort((a, b) => a - b)
    return ends.slice(1).map((end, index) => text.slice(ends[index], end))
  })

describe('thinking in tags', () => {
  it.each([
    ['<think>why</think>\n\nbecause', 'because', 'why'],
    ['\n <think>why</think>because', 'because', 'why'],
    ['<think>a </thin b</think>c', 'c', 'a </thin b'],
    ['<think>never closed', '', 'never closed'],
    ['no <think>tag</think>', 'no <think>tag</think>', ''],
    ['<thin ice', '<thin ice', ''],
    ['<thi', '<thi', ''],
  ])('is taken out of %j wherever it is cut', (whole, text, reasoning) => {
    fc.assert(
      fc.property(cuts(whole), (pieces) => {
        expect(split(pieces)).toEqual({ text, reasoning })
      }),
    )
  })
})

describe('text in chunks', () => {
  it('is normalised as a whole wherever it is split, also within surrogate pairs', () => {
    const whole = 'a😀b\uD83D c\0d\uDE00 e😀'
    const join = (pieces: readonly string[]) => {
      const joiner = joinText()
      return pieces.map((piece) => joiner.push(piece)).join('') + joiner.end()
    }
    fc.assert(
      fc.property(cuts(whole), (pieces) => {
        expect(join(pieces)).toBe('a😀b\uFFFD c\uFFFDd\uFFFD e😀')
      }),
    )
  })
})

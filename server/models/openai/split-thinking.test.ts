import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinText } from '../join-text.ts'
import { splitThinking } from './split-thinking.ts'

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

describe('text in pieces', () => {
  it('is the normalised whole wherever it is cut, surrogate pairs included', () => {
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

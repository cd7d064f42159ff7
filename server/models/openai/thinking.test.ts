import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTextJoiner } from '../reply-parts.ts'
import { createTurnFieldCollector, createThinkingSplitter } from './thinking.ts'

const collect = (...deltas: Record<string, unknown>[]) => {
  const turn = createTurnFieldCollector()
  for (const delta of deltas) turn.push(delta)
  return turn.end()
}

describe('the collector of turn fields', () => {
  it('returns nothing for a turn without reasoning', () => {
    expect(collect({ content: 'hello' }, { reasoning_content: '' })).toBeUndefined()
  })

  it('joins all chunks of the reasoning', () => {
    expect(collect({ reasoning_content: 'a' }, { content: 'x' }, { reasoning_content: 'b' })).toEqual({
      reasoning_content: 'ab',
    })
  })

  it('returns details in order, and joins the chunks of one text', () => {
    const text = { type: 'reasoning.text', index: 0 }
    const sealed = { type: 'reasoning.encrypted', index: 1, data: 'x' }
    expect(
      collect(
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

function split(chunks: readonly string[]): { text: string; reasoning: string } {
  const result = { text: '', reasoning: '' }
  const splitter = createThinkingSplitter()
  const emit = (kind: 'text' | 'reasoning', text: string) => {
    result[kind] += text
  }
  for (const chunk of chunks) splitter.push(chunk, emit)
  splitter.end(emit)
  return result
}

/** The text in chunks that end anywhere. */
const splits = (text: string) =>
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
  ])('is separated from the text of %j wherever the chunks end', (whole, text, reasoning) => {
    fc.assert(
      fc.property(splits(whole), (chunks) => {
        expect(split(chunks)).toEqual({ text, reasoning })
      }),
    )
  })
})

describe('text in chunks', () => {
  it('is normalized in the same way wherever the chunks end, also within surrogate pairs', () => {
    const whole = 'a😀b\uD83D c\0d\uDE00 e😀'
    const join = (chunks: readonly string[]) => {
      const joiner = createTextJoiner()
      return chunks.map((chunk) => joiner.push(chunk)).join('') + joiner.end()
    }
    fc.assert(
      fc.property(splits(whole), (chunks) => {
        expect(join(chunks)).toBe('a😀b\uFFFD c\uFFFDd\uFFFD e😀')
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTurnFieldCollector } from './openai/turn-fields.ts'
import { createTextJoiner } from './reply-parts.ts'
import { createThinkingSplitter } from './split-thinking.ts'

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
  const splitter = createThinkingSplitter({
    add(kind, text) {
      result[kind] += text
    },
    reclassify() {
      result.reasoning += result.text
      result.text = ''
    },
  })
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
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
    // Only the closing tag is received when the chat template has written the opening one.
    ['It is 2.\n</think>\n\nThe answer is 2.', 'The answer is 2.', 'It is 2.\n'],
    ['It is 2.</think>\nThe answer is 2.', 'The answer is 2.', 'It is 2.'],
    ['It is 2.\n</thinking>The answer is 2.', 'The answer is 2.', 'It is 2.\n'],
    ['\n</think>\n\n2', '2', '\n'],
    ['a\n[/THINK]b', 'b', 'a\n'],
    ['a\n</think>\nb\n</think>\nc', 'b\n</think>\nc', 'a\n'],
    ['a\n</think>\n<think>b</think>c', 'c', 'a\nb'],
    // A text about the tag.
    ['Write `</think>` at\nthe end.', 'Write `</think>` at\nthe end.', ''],
    ['Close it with </think>\nor not.', 'Close it with </think>\nor not.', ''],
    ['```\n<think>\n</think>\n```\ndone', '```\n<think>\n</think>\n```\ndone', ''],
    [
      `${'```\n</think>\n```\n'.repeat(30)}</think>\nend`,
      `${'```\n</think>\n```\n'.repeat(30)}</think>\nend`,
      '',
    ],
    [`${'\n'.repeat(1_001)}text`, `${'\n'.repeat(1_001)}text`, ''],
    ['a < b\n</thin ice', 'a < b\n</thin ice', ''],
    // Other tags and several blocks.
    ['<thinking>why</thinking>because', 'because', 'why'],
    ['<thought>why</thought>because', 'because', 'why'],
    ['<reasoning>why</reasoning>because', 'because', 'why'],
    ['<seed:think>why</seed:think>because', 'because', 'why'],
    ['[THINK]why[/THINK]because', 'because', 'why'],
    ['◁think▷why◁/think▷because', 'because', 'why'],
    ['<|START_THINKING|>why<|END_THINKING|><|START_RESPONSE|>because', 'because', 'why'],
    [
      '<|channel|>analysis<|message|>why<|end|><|start|>assistant<|channel|>final<|message|>because',
      'because',
      'why',
    ],
    ['<think>a</think>\n\n<think>b</think>\n\nc', 'c', 'ab'],
    ['<think>it ends with `</think>` </think>c', 'c', 'it ends with `</think>` '],
    ['<think></think>\n\nc', 'c', ''],
    ['thought only.</think>', '', 'thought only.'],
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

import type { GrantLimits } from '@yonder/contract/tool-call'
import { describe, expect, it } from 'vitest'
import { writeRule } from './grant-store.ts'
import { findMatching, hasEnded } from './match-grants.ts'

type Rule = NonNullable<GrantLimits['rule']>
const repository: Rule = { argument: 'repository', test: 'equals', value: 'yonder/app' }
const begins: Rule = { ...repository, test: 'begins', value: 'yonder/' }

const applies = (limits: { bot_id?: string; chat_id?: string; rule?: Rule }, args: string) =>
  findMatching([{ bot_id: null, chat_id: null, ...limits, rule: writeRule(limits.rule) }], {
    botId: 'owl',
    chatId: 'chat',
    arguments: args,
  }) !== undefined

describe('a grant with limits', () => {
  it.each<[string, { bot_id?: string; chat_id?: string; rule?: Rule }, string, boolean]>([
    ['an equal text', { rule: repository }, '{"repository":"yonder/app"}', true],
    [
      'an equal text that is written with escapes',
      { rule: repository },
      '{"repository":"\\u0079onder\\/app"}',
      true,
    ],
    ['a longer text', { rule: repository }, '{"repository":"yonder/app2"}', false],
    ['a space at the end', { rule: repository }, '{"repository":"yonder/app "}', false],
    ['other letters', { rule: repository }, '{"repository":"Yonder/app"}', false],
    [
      'the same letter in another form',
      { rule: { ...repository, value: 'é' } },
      '{"repository":"e\u0301"}',
      false,
    ],
    ['no such argument', { rule: repository }, '{"repo":"yonder/app"}', false],
    ['no arguments', { rule: repository }, '', false],
    ['an inherited property', { rule: { ...repository, argument: 'toString' } }, '{}', false],
    [
      'an own property of a prototype',
      { rule: { ...repository, argument: '__proto__', value: 'a' } },
      '{"__proto__":"a"}',
      true,
    ],
    ['null', { rule: repository }, '{"repository":null}', false],
    ['a number', { rule: { ...repository, value: '7' } }, '{"repository":7}', false],
    [
      'a number beyond a double',
      { rule: { ...repository, value: '12345678901234567890' } },
      '{"repository":12345678901234567890}',
      false,
    ],
    ['a list', { rule: repository }, '{"repository":["yonder/app"]}', false],
    ['an object', { rule: repository }, '{"repository":{"repository":"yonder/app"}}', false],
    ['an argument further in', { rule: repository }, '{"a":{"repository":"yonder/app"}}', false],
    ['a repeated key', { rule: repository }, '{"repository":"yonder/app","repository":"other"}', false],
    [
      'a repeated key, last the allowed one',
      { rule: repository },
      '{"repository":"other","repository":"yonder/app"}',
      false,
    ],
    ['a repeated key elsewhere', { rule: repository }, '{"repository":"yonder/app","a":1,"a":2}', false],
    ['a repeated key without a rule', {}, '{"a":1,"a":2}', false],
    ['a beginning', { rule: begins }, '{"repository":"yonder/app"}', true],
    ['exactly the beginning', { rule: begins }, '{"repository":"yonder/"}', true],
    ['a beginning elsewhere', { rule: begins }, '{"repository":" yonder/app"}', false],
    ['a beginning that is left again', { rule: begins }, '{"repository":"yonder/../other/app"}', false],
    ['a beginning that is left at the end', { rule: begins }, '{"repository":"yonder/.."}', false],
    ['a beginning that is left encoded', { rule: begins }, '{"repository":"yonder/app%2f.%2E/x"}', false],
    [
      'a beginning that is left backwards',
      { rule: begins },
      '{"repository":"yonder/a\\\\..\\\\..\\\\b"}',
      false,
    ],
    ['dots in a name', { rule: begins }, '{"repository":"yonder/a..b/...c/d.."}', true],
    [
      'a beginning that itself goes up',
      { rule: { ...begins, value: '../yonder/' } },
      '{"repository":"../yonder/app"}',
      true,
    ],
    [
      'its key in other letters too',
      { rule: repository },
      '{"Repository":"b","repository":"yonder/app"}',
      false,
    ],
    ['a part of the beginning', { rule: begins }, '{"repository":"yonder"}', false],
    ['no JSON', {}, '{', false],
    ['a list of arguments', {}, '[1]', false],
    ['any arguments without a rule', {}, '{"repository":7}', true],
    ['its bot', { bot_id: 'owl' }, '{}', true],
    ['another bot', { bot_id: 'deleted' }, '{}', false],
    ['its chat', { chat_id: 'chat' }, '{}', true],
    ['another chat', { chat_id: 'other' }, '{}', false],
    ['its chat and another bot', { chat_id: 'chat', bot_id: 'other' }, '{}', false],
  ])('and %s', (_, limits, args, expected) => {
    expect(applies(limits, args)).toBe(expected)
  })

  it('is found among others that do not apply', () => {
    const grants = ['other', 'chat'].map((chat_id) => ({ bot_id: null, chat_id, rule: null }))
    expect(findMatching(grants, { botId: 'b', chatId: 'chat', arguments: '{}' })).toBe(grants[1])
  })

  it.each([
    ['no end', { ends_at: null, created_at: 0 }, null, false],
    ['a later end', { ends_at: 1_001, created_at: 0 }, null, false],
    ['an end now', { ends_at: 1_000, created_at: 0 }, null, true],
    ['an end before', { ends_at: 999, created_at: 0 }, null, true],
    ['the longest time since its creation', { ends_at: null, created_at: 900 }, 100, true],
    ['less than the longest time', { ends_at: null, created_at: 901 }, 100, false],
    ['an end before the longest time', { ends_at: 999, created_at: 990 }, 100, true],
    ['an end after the longest time', { ends_at: 2_000, created_at: 500 }, 100, true],
  ])('with %s', (_, times, maxGrantMs, ended) => {
    expect(hasEnded(times, maxGrantMs, 1_000)).toBe(ended)
  })

  it('that has ended is valid again when the clock steps back', () => {
    const times = { ends_at: 1_000, created_at: 0 }
    expect([1_001, 999, 1_000].map((now) => hasEnded(times, null, now))).toEqual([true, false, true])
  })
})

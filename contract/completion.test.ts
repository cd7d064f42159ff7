import { describe, expect, it } from 'vitest'
import { CompletionEvent, CompletionRequest, FollowQuery } from './completion.ts'

const accepts = (input: unknown) => CompletionRequest.safeParse(input).success

describe('a request for a completion (§7.11)', () => {
  const send = { content: 'Hi', botName: 'A', chatId: 'c1' }

  it('accepts a new message, with or without a server', () => {
    expect(CompletionRequest.parse(send)).toEqual(send)
    expect(accepts({ ...send, server: null })).toBe(true)
    expect(accepts({ ...send, server: 'tools' })).toBe(true)
  })

  it('accepts another reply to a message', () => {
    const again = { userMessageId: 'm1', botName: 'A', chatId: 'c1' }
    expect(CompletionRequest.parse(again)).toEqual(again)
  })

  it('accepts content as text or as parts (§3.7)', () => {
    expect(accepts({ ...send, content: [{ type: 'text', text: 'Hi' }] })).toBe(true)
    expect(accepts({ ...send, content: 5 })).toBe(false)
    expect(accepts({ ...send, content: { text: 'Hi' } })).toBe(false)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', [send]],
    ['no bot', { ...send, botName: '' }],
    ['no chat', { content: 'Hi', botName: 'A' }],
    ['neither content nor a message', { botName: 'A', chatId: 'c1' }],
    ['a chat id with a slash', { ...send, chatId: '../c1' }],
    ['an id that is too long', { ...send, id: 'x'.repeat(65) }],
  ])('is not %s', (_, input) => {
    expect(accepts(input)).toBe(false)
  })
})

describe('an event of a stream', () => {
  it('is a heartbeat without a number', () => {
    expect(CompletionEvent.parse({ type: 'heartbeat' })).toEqual({ type: 'heartbeat' })
  })

  it.each([
    ['of no type', { seq: 1 }],
    ['of an unknown type', { type: 'shout', seq: 1 }],
    ['without its number', { type: 'ended', status: 'complete' }],
    ['with a number below zero', { type: 'ended', status: 'complete', seq: -1 }],
    ['with half a number', { type: 'ended', status: 'complete', seq: 1.5 }],
    ['that ends in no known way', { type: 'ended', status: 'streaming', seq: 1 }],
    ['of text without text', { type: 'text', seq: 1, choices: [] }],
    ['with an unknown code', { type: 'error', seq: 1, error: { code: 'oops', message: 'x' } }],
  ])('is invalid %s', (_, event) => {
    expect(CompletionEvent.safeParse(event).success).toBe(false)
  })

  it('has the fields that clients read (§7.32, §7.33, §7.34, §7.35, §7.36, §7.37)', () => {
    const error = { type: 'error', seq: 1, error: { code: 'internal', message: 'Broken' } }
    const status = {
      type: 'mcp_status',
      seq: 2,
      status: 'connecting',
      server: 's',
      message: 'm',
      finished: true,
    }
    const piece = { type: 'text', seq: 3, choices: [{ delta: { content: 'Hi' } }] }
    const model = { type: 'model', seq: 4, model: 'm', provider: 'p' }
    const call = {
      type: 'tool_call',
      seq: 5,
      message_id: 'a',
      server: 's',
      tool: 't',
      arguments: '{"x":1}',
      plainContent: 'Let me see.',
      call: { state: 'waiting' },
    }
    const message = {
      id: 'r',
      parent_id: 'a',
      role: 'user',
      content: '5',
      timestamp: '2026-11-20T10:00:00.000Z',
      unix_timestamp: 1,
      status: 'complete',
      server: 's',
    }
    const result = { type: 'tool_result', seq: 6, role: 'user', content: '5', message }
    for (const event of [error, status, piece, model, call, result])
      expect(CompletionEvent.parse(event)).toEqual(event)
  })
})

it('parses the number of the last event', () => {
  expect(FollowQuery.parse({ after: '12' })).toEqual({ after: 12 })
  expect(FollowQuery.safeParse({ after: '-1' }).success).toBe(false)
  expect(FollowQuery.safeParse({ after: 'x' }).success).toBe(false)
})

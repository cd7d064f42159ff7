import { describe, expect, it } from 'vitest'
import { findUpstreamMessage, quoteUpstream } from './quote-upstream.ts'

const nothing = { key: null, contents: [] }

describe('a message of an upstream', () => {
  it.each([
    ['{"error":{"message":"no"}}', 'no'],
    ['{"error":"no"}', 'no'],
    ['{"message":"no"}', 'no'],
    ['{"detail":[{"msg":"no"}]}', 'no'],
    ['[{"error":{"message":"no"}}]', 'no'],
    ['Service unavailable', 'Service unavailable'],
    ['<html>no</html>', undefined],
    ['{"error":{}}', undefined],
    ['', undefined],
  ])('is found in %j', (body, message) => {
    expect(findUpstreamMessage(body)).toBe(message)
  })

  it('is shown on one line, shortened', () => {
    expect(quoteUpstream('a\r\n\tb\u202E\0c', nothing)).toBe('a b c')
    expect(quoteUpstream('x'.repeat(5000), nothing)).toHaveLength(301)
  })

  it('never shows a key, in any encoding (§21.11)', () => {
    const key = 'canary+key/0123456789'
    const forms = [key, encodeURIComponent(key), Buffer.from(key).toString('base64')]
    for (const form of forms)
      expect(quoteUpstream(`Incorrect key ${form} given`, { key, contents: [] })).not.toContain(form)
    const others = quoteUpstream('use sk-proj-abcdefgh12345 or Bearer abcdef123456', nothing)
    expect(others).toBe('use ••• or Bearer •••')
  })

  it('is dropped when it repeats the conversation', () => {
    const contents = ['My grandmother lives in a yellow house by the sea, and nobody else knows it.']
    expect(quoteUpstream(`Cannot answer: ${contents[0]}`, { key: null, contents })).toBe('')
    expect(quoteUpstream('… lives in a yellow house by the sea, and nobody …', { key: null, contents })).toBe(
      '',
    )
    expect(quoteUpstream('The model is asleep', { key: null, contents })).toBe('The model is asleep')
  })
})

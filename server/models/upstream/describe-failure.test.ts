import { describe, expect, it } from 'vitest'
import {
  describeHttpError,
  describeNetworkError,
  retryDelay,
  findUpstreamMessage,
  quoteUpstream,
} from './describe-failure.ts'

const confidential = { key: 'k', contents: [] }
const now = Date.UTC(2026, 0, 1)

function limited(retryAfter?: string, body = '') {
  return { status: 429, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, body }
}

describe('the delay before a retry', () => {
  it.each([
    ['0', 0],
    ['2', 2000],
    ['5.5', undefined],
    ['1000000000', undefined],
    ['-5', 300],
    ['soon', 300],
    [undefined, 300],
    [new Date(now + 3000).toUTCString(), 3000],
    [new Date(now + 3_600_000).toUTCString(), undefined],
    [new Date(now - 1000).toUTCString(), 300],
  ])('is limited for retry-after %j', (header, wait) => {
    expect(retryDelay(limited(header), 1, 5000, now)).toBe(wait)
  })

  it('is undefined when a retry would not help', () => {
    for (const status of [400, 401, 403, 404, 422, 501]) {
      expect(retryDelay({ status, headers: {}, body: '' }, 1, 5000, now)).toBeUndefined()
    }
    expect(
      retryDelay(limited(undefined, '{"error":{"code":"insufficient_quota"}}'), 1, 5000, now),
    ).toBeUndefined()
  })
})

describe('failure messages', () => {
  it('distinguish a missing API key from a refused one', () => {
    const response = { status: 401, headers: {}, body: '' }
    expect(describeHttpError(response, 'a.example', confidential).message).toContain('refused the API key')
    expect(describeHttpError(response, 'a.example', { ...confidential, key: null }).message).toBe(
      'a.example requires an API key, and this bot has none (401). Enter one for this bot.',
    )
  })

  it.each([
    [400, 'API key not valid. Please pass a valid API key.', 'refused the API key (400)'],
    [400, 'User location is not supported for the API use.', 'does not serve the country or region'],
    [451, '', 'does not serve the country or region'],
    [403, 'unsupported_country_region_territory', 'does not serve the country or region'],
    [402, 'Payment required', 'is used up (402)'],
    [402, 'Insufficient Balance', 'is used up (402)'],
    [400, 'Your credit balance is too low to access the API', 'is used up (400)'],
    [429, 'insufficient_quota', 'is used up (429)'],
    [429, 'Slow down', 'received too many requests (429)'],
    [
      413,
      'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 10334',
      'has more tokens than a.example takes from this API key in a minute (413)',
    ],
    [413, 'Payload too large', 'too long for the model. Start'],
    [404, 'model: claude-9', 'does not know this model (404)'],
    [404, 'model "llama9" not found, try pulling it first', 'does not know this model (404)'],
    [404, 'models/gemini-9 is not found for API version v1beta', 'does not know this model (404)'],
    [400, 'gpt-9 is not a valid model ID', 'does not know this model (400)'],
    [404, 'Not Found', 'has nothing at this path (404)'],
    [404, '', 'has nothing at this path (404)'],
    [500, 'model not found', 'returned an error (500)'],
    [404, 'No endpoints found for meta/llama-9.', 'does not know this model (404)'],
    [400, `The model x does not exist. ${'x'.repeat(5000)}`, 'does not know this model (400)'],
    [400, 'temperature: unknown field', 'returned an error (400)'],
    [400, "Unknown parameter: 'top_p' is not supported with this model", 'returned an error (400)'],
  ])('give the reason of the status %i with %j', (status, message, text) => {
    const response = { status, headers: {}, body: JSON.stringify({ error: { message } }) }
    expect(describeHttpError(response, 'a.example', confidential).message).toContain(text)
  })

  it.each([
    ['CERT_HAS_EXPIRED', 'has expired. Ask the operator of that server to renew it.'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'belongs to another name. Check the address.'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'not signed by a known authority. If you trust that authority'],
    ['ERR_TLS_CERT', 'is not valid. Check the address'],
    ['EPROTO', 'TLS'],
  ])('name the problem of a certificate and what to do: %s', (code, text) => {
    const failure = describeNetworkError(Object.assign(new Error('tls'), { code }), 'a.example', false)
    expect(failure.code).toBe('upstream_unreachable')
    expect(failure.message).toContain(text)
  })
})

const noSecrets = { key: null, contents: [] }

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
  ])('is found in the body %j', (body, message) => {
    expect(findUpstreamMessage(body)).toBe(message)
  })

  it('has no data of a file, in whatever form', () => {
    const data = Buffer.from('a picture of a yellow house by the sea').toString('base64')
    for (const form of [
      `Invalid image_url "data:image/png;base64,${data}"`,
      `Invalid image_url data:image/png;base64,${data.slice(0, 12)}`,
      `cannot decode ${data}, sorry`,
      `cannot decode ${data.repeat(1_000)}`,
    ]) {
      const quote = quoteUpstream(form, noSecrets)
      expect(quote).toContain('•••')
      expect(quote).not.toContain(data.slice(0, 12))
    }
    const id =
      'Refused (req_5f3e9a1b2c4d5e6f708192a3b4c5d6e7), see https://example.com/docs/guides/images-vision'
    expect(quoteUpstream(id, noSecrets)).toBe(id)
  })

  it('is shown on one line and shortened', () => {
    expect(quoteUpstream('a\r\n\tb\u202E\0c', noSecrets)).toBe('a b c')
    expect(quoteUpstream('no '.repeat(2000), noSecrets)).toHaveLength(301)
  })

  it('never shows a key, in any encoding', () => {
    const key = 'canary+key/0123456789'
    const forms = [key, encodeURIComponent(key), Buffer.from(key).toString('base64')]
    for (const form of forms)
      expect(quoteUpstream(`Incorrect key ${form} given`, { key, contents: [] })).not.toContain(form)
    const others = quoteUpstream('use sk-proj-abcdefgh12345 or Bearer abcdef123456', noSecrets)
    expect(others).toBe('use ••• or Bearer •••')
  })

  it('is not shown when it repeats the conversation', () => {
    const contents = ['My grandmother lives in a yellow house by the sea, and nobody else knows it.']
    expect(quoteUpstream(`Cannot answer: ${contents[0]}`, { key: null, contents })).toBe('')
    expect(quoteUpstream('… lives in a yellow house by the sea, and nobody …', { key: null, contents })).toBe(
      '',
    )
    expect(quoteUpstream('The model is asleep', { key: null, contents })).toBe('The model is asleep')
  })
})

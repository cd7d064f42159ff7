import { describe, expect, it } from 'vitest'
import { openGoogleClient } from '../../testing/google/open-google-client.ts'
import { provideGmail } from '../../testing/google/provide-gmail.ts'
import { createGmailConnector } from '../google-connectors.ts'

const { gmail, mailbox } = provideGmail()

describe('trouble at Google', () => {
  it('renews a token that is refused, once', async () => {
    gmail.refused.add('token-0')
    mailbox().deliver({ subject: 'Still there' })
    expect((await gmail.call('search_messages', { query: '' })).text).toContain('Still there')
    expect(gmail.asked.filter(({ refused }) => refused !== undefined).length).toBeGreaterThan(0)
    gmail.refused.add('token-1')
    const ended = await gmail.call('list_labels', {})
    expect(ended).toEqual({ isError: true, text: 'Connect the account again.' })
    expect(ended.text).not.toContain('token')
  })

  it('repeats reads a few times and then says what is wrong', async () => {
    gmail.api.fail({ method: 'gmail.users.labels.list', answer: 503, times: 2 })
    expect((await gmail.call('list_labels', {})).isError).toBe(false)
    expect(gmail.api.count('gmail.users.labels.list')).toBe(3)
    gmail.api.fail({ method: 'gmail.users.labels.list', answer: 500, times: 100 })
    const failed = await gmail.call('list_labels', {})
    expect(failed).toEqual({
      isError: true,
      text: 'Google has a fault at the moment (500). Try again later.',
    })
    expect(gmail.api.count('gmail.users.labels.list')).toBe(7)
  })

  it('does not wait as long as Google likes', async () => {
    gmail.api.fail({ method: 'gmail.users.labels.list', answer: 429, retryAfter: 3_600 })
    const answer = await gmail.call('list_labels', {})
    expect(answer.text).toContain('Google wants fewer requests')
    expect(gmail.api.count('gmail.users.labels.list')).toBe(1)
  })

  it('is asked no longer when the call is stopped', async () => {
    gmail.api.fail({ method: 'gmail.users.drafts.send', answer: 'hang', times: 10 })
    const stop = new AbortController()
    const mail = { to: ['ann@example.com'], subject: 'A', body: 'b' }
    const ended = expect(gmail.call('send_message', mail, stop.signal)).rejects.toThrow()
    await expect.poll(() => gmail.api.count('gmail.users.drafts.send')).toBe(1)
    stop.abort()
    await ended
    expect(gmail.api.count('gmail.users.drafts.send')).toBe(1)
    expect(mailbox().sent).toEqual([])
  })

  it('is asked again when it takes too long, and then no longer when the call is stopped', async () => {
    const hasty = await openGoogleClient(createGmailConnector, gmail.api, { limits: { attempt: 400 } })
    gmail.api.fail({ method: 'gmail.users.labels.list', answer: 'hang' })
    expect((await hasty.call('list_labels', {})).isError).toBe(false)
    expect(gmail.api.count('gmail.users.labels.list')).toBeGreaterThan(1)
    const stop = new AbortController()
    gmail.api.fail({ method: 'gmail.users.messages.list', answer: 'hang', times: 10 })
    const ended = expect(hasty.call('search_messages', { query: '' }, stop.signal)).rejects.toThrow()
    await expect
      .poll(() => gmail.api.count('gmail.users.messages.list'), { timeout: 10_000 })
      .toBeGreaterThan(1)
    stop.abort()
    const asked = gmail.api.count('gmail.users.messages.list')
    await ended
    await hasty.close()
    expect(gmail.api.count('gmail.users.messages.list')).toBe(asked)
  })

  it('is not mistaken for whoever answers in its place', async () => {
    gmail.api.fail({ method: 'gmail.users.messages.list', answer: 'html' })
    const answer = await gmail.call('search_messages', { query: '' })
    expect(answer.isError).toBe(true)
    expect(answer.text).toContain('was not Google')
  })

  it('may not answer with more than can be read', async () => {
    const { id } = mailbox().deliver({ text: 'x'.repeat(17_000_000) })
    const answer = await gmail.call('read_message', { message_id: id })
    expect(answer).toEqual({ isError: true, text: 'Google answered with more than can be read here.' })
    expect(gmail.api.count('gmail.users.messages.get')).toBe(1)
  })

  it.each([
    [403, 'insufficientPermissions', 'has not allowed this at Google'],
    [403, 'rateLimitExceeded', 'fewer requests'],
    [403, 'accessNotConfigured', 'not switched on'],
    [404, undefined, 'knows nothing with this id'],
    [400, undefined, 'Google refused the request: Stood in for 400.'],
  ])('explains %d %s', async (answer, reason, text) => {
    gmail.api.fail({ answer, times: 10, ...(reason === undefined ? {} : { reason }) })
    expect((await gmail.call('list_labels', {})).text).toContain(text)
  })
})

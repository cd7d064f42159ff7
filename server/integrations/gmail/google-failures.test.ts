import { describe, expect, it } from 'vitest'
import { openGoogleClient } from '../../testing/google/google-client.ts'
import { provideGmail } from '../../testing/google/provide-gmail.ts'
import { createGmailConnector } from '../google-connectors.ts'

const { gmail, mailbox } = provideGmail()

describe('failures at Google', () => {
  it('refreshes a rejected token once', async () => {
    gmail.rejectedTokens.add('token-0')
    mailbox().deliver({ subject: 'Still there' })
    expect((await gmail.call('search_messages', { query: '' })).text).toContain('Still there')
    expect(
      gmail.accessRequests.filter(({ rejectedToken }) => rejectedToken !== undefined).length,
    ).toBeGreaterThan(0)
    gmail.rejectedTokens.add('token-1')
    const ended = await gmail.call('list_labels', {})
    expect(ended).toEqual({ isError: true, text: 'Connect the account again.' })
    expect(ended.text).not.toContain('token')
  })

  it('retries reads a few times and then explains the failure', async () => {
    gmail.api.fail({ method: 'gmail.users.labels.list', response: 503, times: 2 })
    expect((await gmail.call('list_labels', {})).isError).toBe(false)
    expect(gmail.api.count('gmail.users.labels.list')).toBe(3)
    gmail.api.fail({ method: 'gmail.users.labels.list', response: 500, times: 100 })
    const failed = await gmail.call('list_labels', {})
    expect(failed).toEqual({
      isError: true,
      text: 'Google had an internal error (500). Try again later.',
    })
    expect(gmail.api.count('gmail.users.labels.list')).toBe(7)
  })

  it('reports an email as sent when only its retries were refused', async () => {
    const method = 'gmail.users.drafts.send'
    gmail.api.fail({ method, response: 500, isExecuted: true })
    gmail.api.fail({ method, response: 429, times: 10 })
    const mail = { to: ['ann@example.com'], subject: 'A', body: 'b' }
    expect((await gmail.call('send_message', mail)).isError).toBe(false)
    expect(mailbox().sent).toHaveLength(1)
  })

  it('does not report a draft as sent that was deleted while Google was refusing requests', async () => {
    const method = 'gmail.users.drafts.send'
    gmail.api.fail({ method, response: 429 })
    gmail.api.fail({ method, response: 404 })
    const mail = { to: ['ann@example.com'], subject: 'A', body: 'b' }
    expect((await gmail.call('send_message', mail)).text).toContain('The email was not sent.')
    expect(mailbox().sent).toEqual([])
  })

  it('fails without a retry when Google requires a long delay', async () => {
    gmail.api.fail({ method: 'gmail.users.labels.list', response: 429, retryAfter: 3_600 })
    const result = await gmail.call('list_labels', {})
    expect(result.text).toContain('Google received too many requests')
    expect(gmail.api.count('gmail.users.labels.list')).toBe(1)
  })

  it('sends no more requests after the call was stopped', async () => {
    gmail.api.fail({ method: 'gmail.users.drafts.send', response: 'hang', times: 10 })
    const stop = new AbortController()
    const mail = { to: ['ann@example.com'], subject: 'A', body: 'b' }
    const ended = expect(gmail.call('send_message', mail, stop.signal)).rejects.toThrow()
    await expect.poll(() => gmail.api.count('gmail.users.drafts.send')).toBe(1)
    stop.abort()
    await ended
    expect(gmail.api.count('gmail.users.drafts.send')).toBe(1)
    expect(mailbox().sent).toEqual([])
  })

  it('retries after a timeout, but not after the call was stopped', async () => {
    const client = await openGoogleClient(createGmailConnector, gmail.api, {
      limits: { attemptTimeoutMs: 400 },
    })
    gmail.api.fail({ method: 'gmail.users.labels.list', response: 'hang' })
    expect((await client.call('list_labels', {})).isError).toBe(false)
    expect(gmail.api.count('gmail.users.labels.list')).toBeGreaterThan(1)
    const stop = new AbortController()
    gmail.api.fail({ method: 'gmail.users.messages.list', response: 'hang', times: 10 })
    const ended = expect(client.call('search_messages', { query: '' }, stop.signal)).rejects.toThrow()
    await expect.poll(() => gmail.api.count('gmail.users.messages.list')).toBeGreaterThan(1)
    stop.abort()
    const requests = gmail.api.count('gmail.users.messages.list')
    await ended
    await client.close()
    expect(gmail.api.count('gmail.users.messages.list')).toBe(requests)
  })

  it('detects a response that is not from Google', async () => {
    gmail.api.fail({ method: 'gmail.users.messages.list', response: 'html' })
    const result = await gmail.call('search_messages', { query: '' })
    expect(result.isError).toBe(true)
    expect(result.text).toContain('did not come from Google')
  })

  it('refuses a response that is too large', async () => {
    const { id } = mailbox().deliver({ text: 'x'.repeat(17_000_000) })
    const result = await gmail.call('read_message', { message_id: id })
    expect(result).toEqual({ isError: true, text: 'The server sent more than 16 MiB.' })
    expect(gmail.api.count('gmail.users.messages.get')).toBe(1)
  })

  it.each([
    [403, 'insufficientPermissions', 'has not allowed this at Google'],
    [403, 'rateLimitExceeded', 'too many requests'],
    [403, 'accessNotConfigured', 'not enabled'],
    [404, undefined, 'found no item with this id'],
    [400, undefined, 'Google refused the request: Stand-in error 400.'],
  ])('explains status %d with reason %s', async (status, reason, text) => {
    gmail.api.fail({ response: status, times: 10, ...(reason === undefined ? {} : { reason }) })
    expect((await gmail.call('list_labels', {})).text).toContain(text)
  })

  it('reports that the whole integration fails, until a call works again', async () => {
    gmail.api.fail({ response: 403, reason: 'accessNotConfigured' })
    await gmail.call('list_labels', {})
    expect(gmail.failures).toEqual([expect.stringContaining('not enabled')])
    gmail.api.fail({ response: 404 })
    await gmail.call('list_labels', {})
    expect(gmail.failures).toHaveLength(1)
    await gmail.call('list_labels', {})
    expect(gmail.failures.at(-1)).toBeNull()
  })
})

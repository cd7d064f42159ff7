import { expect, it } from 'vitest'
import {
  ApiError,
  describeFailure,
  isOutage,
  readReason,
  toFailure,
  UnconfirmedError,
  UnreachableError,
} from './api-error.ts'

const labels = { url: 'URL', base_url: 'Base URL', allow_tools: 'Allowed Tools' }

it.each([
  ['base_url: must be a web address', 'Base URL: must be a web address'],
  ['url: URL is required; base_url: Too big', 'URL: URL is required; Base URL: Too big'],
  ['allow_tools.3: Too big', 'Allowed Tools: Too big'],
  ['url_of_it: Too big', 'url_of_it: Too big'],
  ['constructor: is not allowed', 'constructor: is not allowed'],
  ['The server says that its url: is wrong.', 'The server says that its url: is wrong.'],
  ['You already have a bot named "url".', 'You already have a bot named "url".'],
])('turns the reason %s into %s', (message, reason) => {
  const error = new ApiError('API error: 400', 400, { code: 'invalid_request', message })
  expect(readReason(error, labels)).toBe(reason)
  expect(readReason(error)).toBe(message)
})

it('uses the message of an error without a reason from the server', () => {
  expect(readReason(new Error('url: broken'), labels)).toBe('url: broken')
  expect(readReason(new Error(''), labels)).toBe('Unknown error')
})

it('returns one sentence for each cause, whatever the message of the browser', () => {
  expect(readReason(new UnreachableError(new TypeError('Failed to fetch')))).toBe(
    'The server could not be reached.',
  )
  expect(readReason(new UnconfirmedError())).toBe(
    'The connection was lost before the server confirmed the request.',
  )
})

it('returns the message of the server, or of an error of the page (§8.3)', () => {
  const detail = { code: 'unavailable', message: 'Going down.' } as const
  expect(readReason(new ApiError('API error: 503', 503, detail))).toBe('Going down.')
  expect(readReason(new ApiError('API error: 503', 503))).toBe('API error: 503')
  expect(readReason(new Error('Broken.'))).toBe('Broken.')
  expect(readReason(undefined)).toBe('Unknown error')
})

it('says that a user who is online again was offline', () => {
  expect(describeFailure({ cause: 'offline' }, false)).toBe('You are offline.')
  expect(describeFailure({ cause: 'offline' }, true)).toBe('You were offline.')
})

it('counts failures of the connection as outages, and no others', () => {
  expect(isOutage(toFailure(new UnreachableError()))).toBe(true)
  expect(isOutage({ cause: 'page_closed' })).toBe(false)
  expect(isOutage({ text: 'The server could not be reached.' })).toBe(false)
})

it('does not take a server that quotes the sentence of an outage for an outage', () => {
  const detail = { code: 'upstream_unreachable', message: 'The server could not be reached.' } as const
  expect(isOutage(toFailure(new ApiError('API error: 502', 502, detail)))).toBe(false)
})

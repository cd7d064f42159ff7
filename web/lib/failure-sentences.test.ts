import { expect, test } from 'vitest'
import {
  ApiError,
  createNotice,
  describeFailure,
  isOutage,
  readReason,
  toFailure,
  UnconfirmedError,
  UnreachableError,
} from './api-error.ts'

test('gives each cause one sentence, whatever the browser says (§10.33)', () => {
  expect(readReason(new UnreachableError(new TypeError('Failed to fetch')))).toBe(
    'The server could not be reached.',
  )
  expect(readReason(new UnconfirmedError())).toBe(
    'The connection was lost before the server confirmed the message.',
  )
})

test('gives the words of the server, and of an error of the page (§8.3)', () => {
  const detail = { code: 'unavailable', message: 'Going down.' } as const
  expect(readReason(new ApiError('API error: 503', 503, detail))).toBe('Going down.')
  expect(readReason(new ApiError('API error: 503', 503))).toBe('API error: 503')
  expect(readReason(new Error('Broken.'))).toBe('Broken.')
  expect(readReason(undefined)).toBe('Unknown error')
})

test('a user who is online again was offline (§10.33)', () => {
  expect(describeFailure({ cause: 'offline' }, false)).toBe('You are offline.')
  expect(describeFailure({ cause: 'offline' }, true)).toBe('You were offline.')
})

test('knows which failures end with an outage', () => {
  expect(isOutage(toFailure(new UnreachableError()))).toBe(true)
  expect(isOutage({ cause: 'page_closed' })).toBe(false)
  expect(isOutage({ text: 'The server could not be reached.' })).toBe(false)
  expect(createNotice(new UnreachableError(), 'Your answer was not sent')).toEqual({
    text: 'Your answer was not sent: The server could not be reached.',
    isOutage: true,
  })
})

test('a server that quotes the sentence of an outage is not an outage (§10.33)', () => {
  const detail = { code: 'upstream_unreachable', message: 'The server could not be reached.' } as const
  expect(createNotice(new ApiError('API error: 502', 502, detail))).toEqual({
    text: 'The server could not be reached.',
    isOutage: false,
  })
})

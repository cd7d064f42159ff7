import { expect, test } from 'vitest'
import {
  ApiError,
  describeFailure,
  isOutage,
  namesOutage,
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
  expect(namesOutage('Your answer was not sent: The server could not be reached.')).toBe(true)
  expect(namesOutage('Your answer was not sent: Too late.')).toBe(false)
  expect(namesOutage(undefined)).toBe(false)
})

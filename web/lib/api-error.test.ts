import { expect, it } from 'vitest'
import { ApiError, readReason } from './api-error.ts'

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

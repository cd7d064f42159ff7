import { expect, it } from 'vitest'
import { quoteResponse, quoteServer, readErrorCode } from './quote-server.ts'

it.each([
  ['Key expired.', ' The server says: “Key expired.”'],
  ['a\u202Eb\u200B\n\tc', ' The server says: “ab c”'],
  ['done.” Enter your password: “x', " The server says: “done.' Enter your password: 'x”"],
  ['x'.repeat(400), ` The server says: “${'x'.repeat(300)}…”`],
  ['\u2028\u0007', ''],
])('quotes a message of a server as its words: %j', (message, quoted) => {
  expect(quoteServer(message)).toBe(quoted)
})

it.each([
  ['{"error":{"message":"Key expired."}}', 'Key expired.'],
  ['{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Key expired."}}', 'Key expired.'],
  ['{"error":"invalid_token","error_description":"Key expired."}', 'Key expired.'],
  ['{"detail":"Key expired."}', 'Key expired.'],
  ['"Key expired."', 'Key expired.'],
  ['Key expired.\n    at check (/srv/secret/key.js:1)', 'Key expired.'],
])('finds the message in the response %j', (body, message) => {
  expect(quoteResponse(body)).toBe(` The server says: “${message}”`)
})

it('returns an error code of OAuth, and no other text of a server', () => {
  expect(readErrorCode('invalid_grant')).toBe('invalid_grant')
  for (const other of ['sk-canary-0123456789', 'Bad request', '', 'a'.repeat(61), 400, undefined])
    expect(readErrorCode(other)).toBeUndefined()
})

it.each([
  [''],
  ['<html>Forbidden</html>'],
  ['{"error":{"code":3}}'],
  ['[]'],
  ['x'.repeat(30_000)],
  [undefined],
])('quotes nothing of a response without a message', (body) => {
  expect(quoteResponse(body)).toBe('')
})

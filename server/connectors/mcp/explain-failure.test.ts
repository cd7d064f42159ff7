import { InsufficientScopeError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { explainFailure } from './explain-failure.ts'

/** Creates the error of the MCP client when the first request to a server has failed. */
const probeError = (cause: Error) =>
  Object.assign(new SdkError(SdkErrorCode.EraNegotiationFailed, 'Version negotiation probe failed'), {
    cause,
  })

it.each([
  ['ECONNREFUSED', 'The server refused the connection. Check the address, and that the server is running.'],
  ['ENOTFOUND', 'The server was not found on the network. Check the address.'],
  ['EAI_AGAIN', 'The server was not found on the network. Check the address.'],
  ['EHOSTUNREACH', 'The server is in a network that cannot be reached. Check the address.'],
  ['ENETUNREACH', 'The server is in a network that cannot be reached. Check the address.'],
  ['ETIMEDOUT', 'The server could not be reached in time. Try again, or check the address.'],
  ['UND_ERR_SOCKET', 'The server closed the connection without a response. Try again.'],
  [
    'CERT_HAS_EXPIRED',
    'The connection to the server would not be secure: its certificate has expired. Ask the operator of that server to renew it.',
  ],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'The connection to the server would not be secure: it does not use TLS at this address. If that server has no TLS, begin the address with http:// instead of https://.',
  ],
])('says what failed in the network (%s)', (code, message) => {
  const refused = Object.assign(new Error('connection failed'), { code })
  expect(explainFailure(probeError(new TypeError('fetch failed', { cause: refused })))).toMatchObject({
    code: 'upstream_unreachable',
    message,
  })
})

it.each([
  new Error('a defect'),
  new TypeError('x is not a function'),
  new SdkError(SdkErrorCode.NotConnected, ''),
])('does not say of %s that the server was not reached', (error) => {
  expect(explainFailure(error)).toMatchObject({ code: 'upstream_invalid' })
})

it('explains when the address is not an MCP server', () => {
  expect(explainFailure(probeError(new Error('Not Found')))).toMatchObject({
    code: 'upstream_invalid',
    message: 'The server sent a response that is not valid MCP. Check its address.',
  })
})

it.each([
  [null, 'The server requires authorization. Connect it to give your consent.'],
  ['sealed', 'The server refused access, because the token does not permit this. Check the token.'],
])('does not advise to consent when the user entered a token (%s)', (token, message) => {
  expect(explainFailure(new InsufficientScopeError({ requiredScope: 'write' }), { token })).toMatchObject({
    code: 'upstream_refused_key',
    message,
  })
})

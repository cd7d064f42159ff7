import { InsufficientScopeError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { explainFailure } from './explain-failure.ts'

/** Creates the error of the MCP client when the first request to a server has failed. */
const probeError = (cause: Error) =>
  Object.assign(new SdkError(SdkErrorCode.EraNegotiationFailed, 'Version negotiation probe failed'), {
    cause,
  })

it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])(
  'explains that the server cannot be reached when there is no response (%s)',
  (code) => {
    const refused = Object.assign(new Error('connection failed'), { code })
    expect(explainFailure(probeError(new TypeError('fetch failed', { cause: refused })))).toMatchObject({
      code: 'upstream_unreachable',
      message: 'The server cannot be reached. Check its address or try again later.',
    })
  },
)

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

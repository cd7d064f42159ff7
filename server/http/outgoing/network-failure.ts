import type { ErrorCode } from '@yonder/contract/error'
import { findExhausted } from '../../lib/exhausted.ts'

/** What the errors of Node.js and undici mean, by their codes. The sentences follow the name of the server. */
const networkFailures: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOTFOUND: ['upstream_unreachable', 'was not found on the network. Check the address.'],
  EAI_AGAIN: ['upstream_unreachable', 'was not found on the network. Check the address.'],
  ECONNREFUSED: [
    'upstream_unreachable',
    'refused the connection. Check the address, and that the server is running.',
  ],
  EHOSTUNREACH: ['upstream_unreachable', 'is in a network that cannot be reached. Check the address.'],
  ENETUNREACH: ['upstream_unreachable', 'is in a network that cannot be reached. Check the address.'],
  UND_ERR_CONNECT_TIMEOUT: [
    'upstream_unreachable',
    'could not be reached in time. Try again, or check the address.',
  ],
  ETIMEDOUT: ['upstream_unreachable', 'could not be reached in time. Try again, or check the address.'],
  UND_ERR_HEADERS_TIMEOUT: ['upstream_timeout', 'did not respond in time. Try again.'],
  UND_ERR_BODY_TIMEOUT: ['upstream_timeout', 'stopped sending before its reply was complete. Try again.'],
  UND_ERR_HEADERS_OVERFLOW: ['upstream_invalid', 'did not send a valid HTTP response. Check the address.'],
}

const untrusted =
  'its certificate is not signed by a known authority. If you trust that authority, ask the operator of this server to set NODE_EXTRA_CA_CERTS to its file'
const withoutTls =
  'it does not use TLS at this address. If that server has no TLS, begin the address with http:// instead of https://'

/** What is wrong with a certificate and what to do, without the full stop. */
const certificateProblems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired. Ask the operator of that server to renew it',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate belongs to another name. Check the address',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  EPROTO: withoutTls,
  ERR_SSL_WRONG_VERSION_NUMBER: withoutTls,
}
const otherCertificateProblem =
  'its certificate is not valid. Check the address, or ask the operator of that server to correct it'

/** The codes of errors of a connection that was not opened: nothing was sent. */
const notConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPROTO|UND_ERR_CONNECT_TIMEOUT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/

/** Whether an error says that the server was not reached, so that it has received nothing. */
export function isUnreachable(error: unknown): boolean {
  return notConnected.test(networkCode(error))
}

const brokenConnection = /^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_|HPE_)/

/** Whether an error comes from the network: the server was not reached, or the connection to it broke. */
export function isNetworkFailure(error: unknown): boolean {
  return isUnreachable(error) || brokenConnection.test(networkCode(error))
}

/**
 * What failed in a connection that could not be opened, or broke, and what to do: a sentence about `server`.
 * `hasResponse`: the response had begun.
 */
export function describeNetworkFailure(
  error: unknown,
  server: string,
  hasResponse: boolean,
): { readonly code: ErrorCode; readonly message: string } {
  const exhausted = findExhausted(error)
  if (exhausted !== undefined) return { code: 'unavailable', message: exhausted.user }
  const errorCode = networkCode(error)
  if (/CERT|SIGNATURE|SELF_SIGNED|ERR_TLS|ERR_SSL|EPROTO/.test(errorCode)) {
    const problem = certificateProblems[errorCode] ?? otherCertificateProblem
    const message = `The connection to ${lowerFirst(server)} would not be secure: ${problem}.`
    return { code: 'upstream_unreachable', message }
  }
  const isInvalid = error instanceof Error && error.name === 'HTTPParserError'
  const [code, sentence] = networkFailures[isInvalid ? 'UND_ERR_HEADERS_OVERFLOW' : errorCode] ?? [
    hasResponse ? 'upstream_cut' : 'upstream_unreachable',
    `closed the connection ${hasResponse ? 'before its reply was complete' : 'without a response'}. Try again.`,
  ]
  return { code, message: `${server} ${sentence}` }
}

/** For a name that begins with an article, such as "The server". */
function lowerFirst(server: string): string {
  return server.replace(/^The /, 'the ')
}

/** The error code of Node.js or undici, from the error or one of its causes; empty when there is none. */
export function networkCode(error: unknown): string {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code
    if (at instanceof AggregateError && at.errors.length > 0) return networkCode(at.errors[0])
  }
  return ''
}

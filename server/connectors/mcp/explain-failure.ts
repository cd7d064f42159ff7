import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/client'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import {
  describeNetworkFailure,
  isNetworkFailure,
  isUnreachable,
} from '../../http/outgoing/network-failure.ts'
import { isTimeoutError } from '../../lib/abort.ts'
import { AppError, findAppError, listCauses } from '../../lib/app-error.ts'
import { quoteResponse, quoteServer } from '../../lib/quote-server.ts'

/** What the error for a refused access depends on. */
type Refused = Pick<ConnectorRow, 'token'> & Partial<Pick<ConnectorRow, 'headers'>>

/** Whether the server refused the request because it needs an authorization, or one with a larger scope. */
export function needsAuthorization(error: unknown): boolean {
  return listCauses(error).some(
    (cause) => cause instanceof UnauthorizedError || cause instanceof InsufficientScopeError,
  )
}

/** Returns the quotation of the response with which the server required an authorization; empty without one. */
export function quoteRefusal(error: unknown): string {
  const words = listCauses(error).find((cause) => cause instanceof UnauthorizedError)?.message ?? ''
  // Other errors of this class have a message of the SDK.
  return words.startsWith(' The server says') ? words : ''
}

/**
 * Whether the error of a connection with a session may mean that the server has lost the session. MCP requires status
 * 404. Many servers send another status, or a JSON-RPC error, with a message about the session, and so may a tool about
 * a session of its own.
 */
export function mayBeLostSession(error: unknown): boolean {
  return findSessionAnswer(error) !== undefined
}

/**
 * Whether a request has not run, whose error and that of a later request say that the session is lost. MCP servers
 * check the session before anything else; only with other statuses could the tool itself have ended the session.
 */
export function certainlyNotRun(error: unknown, later: unknown): boolean {
  const answer = findSessionAnswer(error)
  return (
    answer?.status === 400 ||
    answer?.status === 404 ||
    answer?.status === 410 ||
    (answer !== undefined && JSON.stringify(answer) === JSON.stringify(findSessionAnswer(later)))
  )
}

const aboutSessions = /session|not (been )?initiali[sz]ed|uninitiali[sz]ed|initiali[sz]e (first|the)/i

/** Returns what a server answered about its session: with status 200 in a JSON-RPC error. */
function findSessionAnswer(
  error: unknown,
): { readonly status: number; readonly message: string } | undefined {
  for (const cause of listCauses(error)) {
    if (cause instanceof SdkHttpError) {
      const { status } = cause
      // The id of the request is part of the response of many servers.
      const message = cause.message.replaceAll(/"id":\s*[^,}]*/g, '')
      const isAbout = status === 404 || status === 410 || aboutSessions.test(message)
      if (isAbout && status !== 401 && status !== 403) return { status, message }
    }
    if (cause instanceof ProtocolError && aboutSessions.test(cause.message))
      return { status: 200, message: cause.message }
  }
  return undefined
}

export function isTimeout(error: unknown): boolean {
  return listCauses(error).some(
    (cause) =>
      (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout) || isTimeoutError(cause),
  )
}

/**
 * Whether connecting may be tried again with the older handshake, because the server failed at `server/discover`, the
 * first request of the newest revision. False for refused access, our own errors and a server that was not
 * reached.
 */
export function isFailedDiscovery(error: unknown): boolean {
  const chain = listCauses(error)
  if (needsAuthorization(error) || chain.some((cause) => cause instanceof AppError || isUnreachable(cause)))
    return false
  if (error instanceof UnsupportedProtocolVersionError) return true
  if (!(error instanceof SdkError)) return false
  return error.code === SdkErrorCode.EraNegotiationFailed || error.code === SdkErrorCode.RequestTimeout
}

/**
 * Whether the tool may have run although its call failed. It has not run when the request was never sent. An MCP error
 * and an HTTP status below 500, or 501, are known outcomes too.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (needsAuthorization(error)) return false
  return listCauses(error).every((cause) => {
    if (cause instanceof AppError) return unknownCodes.has(cause.code)
    if (cause instanceof SdkHttpError) return cause.status >= 500 && cause.status !== 501
    if (cause instanceof SdkError) return cause.code !== SdkErrorCode.NotConnected
    if (isUnreachable(cause)) return false
    return !(cause instanceof ProtocolError)
  })
}

/** Codes of our errors after which the tool may have run, since the request was sent. */
const unknownCodes: ReadonlySet<string> = new Set(['output_limit', 'upstream_cut', 'upstream_invalid'])

/**
 * Whether other calls of the connector will probably fail too: its server refuses access or responds with another HTTP
 * error, its address is not accepted, or its integration is not connected. A rate limit ends by itself.
 */
export function isLastingFailure(error: unknown, { code }: AppError): boolean {
  if (code === 'upstream_rate_limited') return false
  return lastingCodes.has(code) || listCauses(error).some((cause) => cause instanceof SdkHttpError)
}

const lastingCodes: ReadonlySet<string> = new Set([
  'upstream_refused_key',
  'address_refused',
  'not_connected',
])

/**
 * Converts any failure of a server to an error for the owner of `connector`. What the server itself says is quoted.
 */
export function explainFailure(error: unknown, connector?: Refused): AppError {
  const own = findAppError(error)
  if (own !== undefined) return own
  if (needsAuthorization(error)) {
    const reason =
      typeof connector?.token === 'string'
        ? 'The server refused access, because the token does not permit this. Check the token.'
        : typeof connector?.headers === 'string'
          ? 'The server refused access. Check its headers under Advanced, or connect it to give your consent.'
          : 'The server requires authorization. Connect it to give your consent.'
    const message = `${reason}${quoteRefusal(error)}`
    return new AppError('upstream_refused_key', message, { cause: error })
  }
  const causes = listCauses(error)
  if (isTimeout(error)) {
    return new AppError('upstream_timeout', 'The server did not respond in time. Try again later.', {
      cause: error,
    })
  }
  // The client reports a failure of the network at its first request as an invalid response.
  const network = causes.find(isNetworkFailure)
  if (network !== undefined) {
    const hasResponse = causes.some((cause) => cause instanceof TypeError && cause.message === 'terminated')
    const { code, message } = describeNetworkFailure(network, 'The server', hasResponse)
    return new AppError(code, message, { cause: error })
  }
  const [known] = causes.flatMap((cause) => explainKnown(cause, connector) ?? [])
  const unknown = 'The server did not respond as expected. Check its address or try again later.'
  return known ?? new AppError('upstream_invalid', unknown, { cause: error })
}

function explainKnown(error: unknown, connector: Refused | undefined): AppError | undefined {
  const toAppError = (code: AppError['code'], message: string) =>
    new AppError(code, message, { cause: error })
  const invalid = 'The server sent a response that is not valid MCP. Check its address.'
  if (error instanceof SdkHttpError) return explainStatus(error, connector)
  if (error instanceof ProtocolError)
    return toAppError('upstream_error', `The server returned an error.${quoteServer(error.message)}`)
  if (error instanceof SdkError) {
    switch (error.code) {
      case SdkErrorCode.InvalidResult:
      case SdkErrorCode.UnsupportedResultType:
      case SdkErrorCode.ClientHttpUnexpectedContent:
      case SdkErrorCode.EraNegotiationFailed:
        return toAppError('upstream_invalid', invalid)
      case SdkErrorCode.ConnectionClosed:
        return toAppError('upstream_cut', 'The server closed the connection. Try again later.')
      case SdkErrorCode.CapabilityNotSupported:
        return toAppError('upstream_invalid', 'The server offers no tools.')
      default:
        return undefined
    }
  }
  const isUnreadable = error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError')
  return isUnreadable ? toAppError('upstream_invalid', invalid) : undefined
}

function explainStatus(error: SdkHttpError, connector: Refused | undefined): AppError {
  const { status, data } = error
  const words = quoteResponse(data['text'])
  const explain = (code: AppError['code'], message: string) =>
    new AppError(code, `${message}${words}`, { cause: error })
  if (status === 401 || status === 403) return refusedAccess(status, words, connector, { cause: error })
  if (status === 429)
    return explain('upstream_rate_limited', 'The server received too many requests. Try again later.')
  if (status >= 500) return explain('upstream_error', `The server failed (${status}). Try again later.`)
  const message = `The server did not respond like an MCP server (${status}). Check its address.`
  return explain('upstream_invalid', message)
}

/**
 * The error for a server that refused the token, or a request without a token. `words` is the quotation of its
 * response.
 */
export function refusedAccess(
  status: number,
  words: string,
  connector: Refused | undefined,
  options?: ErrorOptions,
): AppError {
  const advice =
    typeof connector?.token === 'string'
      ? ' Check the token.'
      : typeof connector?.headers === 'string'
        ? ' Check its headers under Advanced.'
        : ''
  return new AppError(
    'upstream_refused_key',
    `The server refused access (${status}).${advice}${words}`,
    options,
  )
}

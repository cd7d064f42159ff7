import type { RunAccepted } from '@yonder/contract/completion'
import type { ErrorDetail } from '@yonder/contract/error'
import type { ApiClient } from '../../../lib/api/api-client.ts'
import { ApiError, readReason, UnconfirmedError } from '../../../lib/api/api-error.ts'
import { readErrorBody } from '../../../lib/api/error-body.ts'
import { timeZoneField } from '../../../lib/time-zone.ts'
import type { OutgoingMessage } from './outbox.ts'

/** Milliseconds to wait for the server's confirmation. It responds before the model does. */
const maxResponseMs = 40_000
/** The pause before a request that a restarting server refused is repeated, and for how long it is repeated. */
const restartPauseMs = 300
const maxRestartMs = 120_000

/**
 * The server refused to start a run. The message is the status text, or the status code if there is no text.
 */
export class RunRefusedError extends ApiError {
  constructor({ status, statusText }: Response, detail: ErrorDetail | undefined) {
    super(statusText || String(status), status, detail)
  }
}

/** Whether the server refused a run because another run of the chat is in progress. */
function isRunActive(error: unknown): boolean {
  return error instanceof RunRefusedError && error.code === 'run_active'
}

/** Whether the server refused a decision about a call, for example because it was decided elsewhere before. */
export function isDecided(error: unknown): boolean {
  return error instanceof RunRefusedError && error.status === 409 && !isRunActive(error)
}

/** Returns a sentence that says what failed and why, or that another reply must end first. */
export function explainRunFailure(failure: string, error: unknown): string {
  return isRunActive(error)
    ? 'Another reply is being written in this chat. Wait until it is finished, or stop it first.'
    : `${failure}: ${readReason(error)}`
}

/**
 * What happens to a message that was not sent: it can be sent again, is queued, is put back into the input, or is dropped.
 */
type SendFailure =
  | { readonly kind: 'unsent'; readonly notice?: never }
  | { readonly kind: 'queued'; readonly notice?: never }
  | { readonly kind: 'returned' | 'dropped'; readonly notice: string }

/** `isLast`: the message goes on with the branch that the page shows. */
export function explainSendFailure(
  { isDenial }: OutgoingMessage,
  error: unknown,
  isLast: boolean,
): SendFailure {
  // The user has written nothing. If the call still needs approval, the user can deny it again.
  if (isDenial === true && error instanceof RunRefusedError)
    return { kind: 'dropped', notice: explainRunFailure('The call could not be denied', error) }
  if (!isRunActive(error)) return { kind: 'unsent' }
  // Another page, or the queue, has begun a reply in this moment.
  if (isLast) return { kind: 'queued' }
  return {
    kind: 'returned',
    notice:
      'Another reply is being written in this chat. Your message is in the input again. Send it when the reply is finished.',
  }
}

/** A request that starts a run in a chat. */
export interface RunRequest {
  readonly path: '/api/chat/completions' | '/api/tool/confirm'
  readonly body: object
  readonly onFailure: (error: unknown) => void
}

/**
 * Requests a run, whose events arrive in the live stream. Returns undefined when the user is signed out. A server that is
 * about to end refuses without having done anything, so the request is repeated until another server, or the same one
 * after its restart, accepts it.
 * @throws RunRefusedError, UnconfirmedError, or what `ApiClient.request` throws
 */
export async function requestRun(
  api: ApiClient,
  path: RunRequest['path'],
  body: object,
): Promise<RunAccepted | undefined> {
  for (const startedAt = Date.now(); ;) {
    try {
      return await sendRequest(api, path, body)
    } catch (error) {
      const isRestarting = error instanceof RunRefusedError && error.code === 'restarting'
      if (!isRestarting || Date.now() - startedAt > maxRestartMs) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, restartPauseMs))
  }
}

async function sendRequest(
  api: ApiClient,
  path: RunRequest['path'],
  body: object,
): Promise<RunAccepted | undefined> {
  const signal = AbortSignal.timeout(maxResponseMs)
  try {
    const response = await api.request(path, {
      method: 'POST',
      headers: { Prefer: 'respond-async' },
      body: { ...body, ...timeZoneField() },
      signal,
    })
    if (response === undefined) return undefined
    if (!response.ok) throw new RunRefusedError(response, await readErrorBody(response))
    return (await response.json().catch(() => {
      throw new UnconfirmedError()
    })) as RunAccepted
  } catch (error) {
    if (!signal.aborted) throw error
    api.connection.check()
    throw new UnconfirmedError()
  }
}

import type { RunEvent } from '@yonder/contract/completion'
import type { ErrorDetail } from '@yonder/contract/error'
import { readErrorBody, type ApiClient } from '../../../lib/api/api-client.ts'
import { ApiError, createNotice, type Notice } from '../../../lib/api/api-error.ts'
import { waitToRetry } from '../../../lib/api/connection.ts'
import { logError } from '../../../lib/log-error.ts'
import { connectStream, readSse, type ConnectedStream } from '../../../lib/streams/event-stream.ts'
import type { OutgoingMessage } from './outbox.ts'

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

/** Returns a notice that says what failed and why, or that another reply must end first. */
export function explainRunFailure(failure: string, error: unknown): Notice {
  if (!isRunActive(error)) return createNotice(error, failure)
  return {
    text: 'Another reply is being written in this chat. Wait until it is finished, or stop it first.',
  }
}

/** What happens to a message that was not sent: it can be sent again, is put back into the input, or is dropped. */
type SendFailure =
  | { readonly kind: 'unsent'; readonly notice?: never }
  | { readonly kind: 'returned' | 'dropped'; readonly notice: Notice }

export function explainSendFailure({ isDenial }: OutgoingMessage, error: unknown): SendFailure {
  // The user has written nothing. If the call still needs approval, the user can deny it again.
  if (isDenial === true && error instanceof RunRefusedError)
    return { kind: 'dropped', notice: explainRunFailure('The call could not be denied', error) }
  if (!isRunActive(error)) return { kind: 'unsent' }
  const text =
    'Another reply is being written in this chat. Your message is in the input again. Send it when the reply is finished.'
  return { kind: 'returned', notice: { text } }
}

/** A request that starts a run in a chat. */
export interface RunRequest {
  readonly path: '/api/chat/completions' | '/api/tool/confirm'
  readonly body: object
  readonly onFailure: (error: unknown) => void
}

/** The time zone of this browser, for the instructions of the bot. Without this field, the server uses UTC. */
function timeZoneField(): { readonly time_zone?: string } {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return timeZone === 'UTC' ? {} : { time_zone: timeZone }
}

/**
 * Requests a run. Returns undefined when the user is signed out.
 * @throws RunRefusedError, or what `ApiClient.request` throws
 */
export async function requestRun(
  api: ApiClient,
  path: RunRequest['path'],
  body: object,
  signal: AbortSignal,
): Promise<ConnectedStream | undefined> {
  const stream = await connectStream(
    api,
    path,
    { method: 'POST', body: { ...body, ...timeZoneField() } },
    signal,
  )
  if (stream === undefined || stream.response.ok) return stream
  const detail = await readErrorBody(stream.response)
  stream.stopTimeout()
  throw new RunRefusedError(stream.response, detail)
}

export interface RunPosition {
  /** The number of the last event that is known. */
  readonly seq: number
  /** The id of the run's first reply, once the server has sent it. */
  readonly replyId: string | undefined
}

export type StreamSignal =
  | { readonly type: 'event'; readonly event: RunEvent }
  /** The connection was lost (false) or restored (true). */
  | { readonly type: 'connection'; readonly isConnected: boolean }
  /** Why the run will end, if the server cannot store an event about it. */
  | { readonly type: 'ending'; readonly reason: string }
  /** The next events of the run cannot be read, for example because the server no longer has them. */
  | { readonly type: 'unknown' }
  /** The connection was lost before the first event, so there may or may not be a run. */
  | { readonly type: 'unconfirmed' }

/**
 * Reads the events of a run after `start`, each once and in order. When the connection is lost, it tries to reconnect.
 * Ends after the run's last event, after `unknown` or `unconfirmed`, or when `signal` aborts.
 */
export async function* readRun(
  api: ApiClient,
  chatId: string,
  start: RunPosition & { readonly stream?: ConnectedStream | undefined },
  signal: AbortSignal,
): AsyncGenerator<StreamSignal, void, undefined> {
  let { seq, replyId, stream } = start
  for (let failures = 0; ; failures += 1) {
    if (stream?.response.ok === true) {
      const before = seq
      let problem: unknown
      try {
        for await (const event of readEvents(stream, seq)) {
          seq = event.seq
          if (event.type === 'started') replyId = event.assistant_message.id
          yield { type: 'event', event }
          if (event.type === 'ended') return
        }
      } catch (error) {
        problem = error
        if (!signal.aborted) logError('The stream broke', error)
      } finally {
        stream.stopTimeout()
      }
      if (signal.aborted) return
      if (replyId === undefined)
        return yield { type: problem instanceof MissedEventError ? 'unknown' : 'unconfirmed' }
      if (seq > before) failures = 0
      if (problem instanceof UnstoredReplyError) yield { type: 'ending', reason: problem.message }
      yield { type: 'connection', isConnected: false }
    } else if (stream !== undefined && !isTemporary(stream.response)) return yield { type: 'unknown' }
    await waitToRetry(failures, signal, api.connection)
    if (!signal.aborted) stream = await reconnect(api, chatId, { seq, replyId }, signal)
    if (signal.aborted) return
    if (stream?.response.ok === true) yield { type: 'connection', isConnected: true }
  }
}

/** Whether a refused reconnection may succeed later: a limit or a failure of the server. */
const isTemporary = ({ status }: Response): boolean => status === 429 || status >= 500

/**
 * Returns undefined when the server cannot be reached or the user is signed out; `readRun` then tries again, until
 * `signal` aborts.
 */
async function reconnect(
  api: ApiClient,
  chatId: string,
  { seq, replyId = '' }: RunPosition,
  signal: AbortSignal,
): Promise<ConnectedStream | undefined> {
  const path = `/api/chat/${encodeURIComponent(chatId)}/stream?messageId=${encodeURIComponent(replyId)}`
  try {
    const stream = await connectStream(api, path, { headers: { 'Last-Event-ID': String(seq) } }, signal)
    if (stream?.response.ok === false) stream.stopTimeout()
    return stream
  } catch {
    return undefined
  }
}

class MissedEventError extends Error {}

/** The server could store neither the reply nor an event about this failure. The user sees the message. */
class UnstoredReplyError extends Error {}

/** @throws MissedEventError, UnstoredReplyError, or the error that broke the connection */
async function* readEvents(
  { response, restartTimeout }: ConnectedStream,
  lastSeq: number,
): AsyncGenerator<RunEvent, void, undefined> {
  let seq = lastSeq
  for await (const data of readSse(response)) {
    restartTimeout()
    const event = parseEvent(data)
    // The server may repeat known events.
    if (event === undefined || event.seq <= seq) continue
    if (event.seq > seq + 1) throw new MissedEventError(`Event ${event.seq} came after event ${seq}`)
    seq = event.seq
    yield event
  }
}

/**
 * Returns the event, perhaps of a type that only newer versions know; undefined for data without a number, such as a
 * heartbeat.
 * @throws UnstoredReplyError
 */
function parseEvent(data: string): RunEvent | undefined {
  const event = JSON.parse(data) as Partial<RunEvent> & { readonly error?: ErrorDetail }
  if (typeof event.seq === 'number') return event as RunEvent
  if (event.error?.code === 'storage_full') throw new UnstoredReplyError(event.error.message)
  return undefined
}

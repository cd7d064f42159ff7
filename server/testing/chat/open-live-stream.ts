import { applyEvent, emptyRun, type RunState } from '@yonder/contract/apply-event'
import { LiveEvent } from '@yonder/contract/live'
import { textOfContent } from '@yonder/contract/message-text'
import { openStream } from './open-stream.ts'

export type LiveRunEvent = Extract<LiveEvent, { type: 'run' }>

export interface LiveStream {
  readonly status: number
  /** Everything received so far, checked against the contract; without heartbeats. */
  readonly events: () => readonly LiveEvent[]
  /** The events of a chat's runs. */
  readonly runEvents: (chatId: string) => readonly LiveRunEvent[]
  /** The state of the newest run in a chat, folded by `applyEvent`. */
  readonly run: (chatId: string) => RunState
  readonly text: (chatId: string) => string
  readonly until: (ready: () => boolean) => Promise<void>
  readonly ended: Promise<void>
  readonly leave: () => void
}

/**
 * Opens the live stream of a browser. Resolves when the server has sent the first event that is not a heartbeat, or has
 * refused the stream.
 */
export async function openLiveStream(
  base: string,
  headers: Readonly<Record<string, string>>,
): Promise<LiveStream> {
  const stream = await openStream({ url: `${base}/api/live`, headers, parse: false })
  const events = (): LiveEvent[] =>
    stream.raw
      .split('\n\n')
      .slice(0, -1)
      .filter((frame) => frame.startsWith('data: '))
      .map((frame) => LiveEvent.parse(JSON.parse(frame.replace('data: ', ''))))
      .filter(({ type }) => type !== 'heartbeat')
  const runEvents = (chatId: string): LiveRunEvent[] =>
    events().filter((event): event is LiveRunEvent => event.type === 'run' && event.chatId === chatId)
  const run = (chatId: string): RunState => {
    const all = runEvents(chatId)
    const newest = all.at(-1)?.messageId
    return all
      .filter(({ messageId }) => messageId === newest)
      .reduce((state, { event }) => applyEvent(state, event), emptyRun)
  }
  if (stream.status === 200) await stream.until(() => events().length > 0)
  return {
    status: stream.status,
    events,
    runEvents,
    run,
    text: (chatId) => textOfContent(run(chatId).messages.at(-1)?.content ?? ''),
    until: (ready) => stream.until(ready),
    ended: stream.ended,
    leave: stream.leave,
  }
}

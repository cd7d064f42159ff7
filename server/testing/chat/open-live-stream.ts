import { applyEvent, emptyRun, type RunState } from '@yonder/contract/apply-event'
import { LiveEvent } from '@yonder/contract/live'
import { textOfContent } from '@yonder/contract/message-text'
import { openStream } from './open-stream.ts'

export type LiveRunEvent = Extract<LiveEvent, { type: 'run' }>

export type LiveListed = Extract<LiveEvent, { type: 'chats_listed' }>

export interface LiveStream {
  readonly status: number
  /** Everything received so far, checked against the contract; without heartbeats and what lists show of chats. */
  readonly events: () => readonly LiveEvent[]
  /** What lists show of chats, as received so far. */
  readonly listed: () => readonly LiveListed[]
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
  const all = (): LiveEvent[] =>
    stream.raw
      .split('\n\n')
      .slice(0, -1)
      .filter((frame) => frame.startsWith('data: '))
      .map((frame) => LiveEvent.parse(JSON.parse(frame.replace('data: ', ''))))
  const events = (): LiveEvent[] =>
    all().filter(({ type }) => type !== 'heartbeat' && type !== 'chats_listed')
  const runEvents = (chatId: string): LiveRunEvent[] =>
    events().filter((event): event is LiveRunEvent => event.type === 'run' && event.chatId === chatId)
  const run = (chatId: string): RunState => {
    const ofChat = runEvents(chatId)
    const newest = ofChat.at(-1)?.messageId
    return ofChat
      .filter(({ messageId }) => messageId === newest)
      .reduce((state, { event }) => applyEvent(state, event), emptyRun)
  }
  if (stream.status === 200) await stream.until(() => events().length > 0)
  return {
    status: stream.status,
    events,
    listed: () => all().filter((event): event is LiveListed => event.type === 'chats_listed'),
    runEvents,
    run,
    text: (chatId) => textOfContent(run(chatId).messages.at(-1)?.content ?? ''),
    until: (ready) => stream.until(ready),
    ended: stream.ended,
    leave: stream.leave,
  }
}

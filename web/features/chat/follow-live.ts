import type { LiveEvent } from '@yonder/contract/live'
import type { ApiClient } from '../../lib/api-client.ts'
import { connectStream } from '../../lib/connect-stream.ts'
import { shareStream } from '../../lib/share-stream.ts'
import { findChatFeed } from './chat-feed.ts'

export interface FollowLiveOptions {
  /** Whose chats: pages that are signed in as somebody else have a stream of their own. */
  readonly userId: string
  /** Called when the list of chats reads differently now. */
  readonly onChats: () => void
}

/** Keeps this page up to date with what other tabs and devices of a person do; returns how to end that. */
export function followLive(api: ApiClient, { userId, onChats }: FollowLiveOptions): () => void {
  const feed = findChatFeed(api)
  feed.changeState('opening')
  return shareStream({
    name: `yonder.live:${userId}`,
    connect: (signal) => connectStream(api, '/api/live', {}, signal),
    onState: feed.changeState,
    onData(data) {
      const event = JSON.parse(data) as LiveEvent
      feed.hear(event)
      if (changesList(event)) onChats()
    },
  })
}

function changesList(event: LiveEvent): boolean {
  if (event.type === 'run') return event.event.type === 'started' || event.event.type === 'ended'
  return event.type === 'chat_changed' || event.type === 'ready'
}

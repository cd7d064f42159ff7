import type { LiveEvent, LiveRun } from '@yonder/contract/live'
import type { ApiClient } from '../../../lib/api-client.ts'
import type { SharedStreamState } from '../../../lib/share-stream.ts'
import type { LiveChat } from './live-chat.ts'

/** The chats that this page has opened, and what the live stream tells them. */
export interface ChatFeed {
  readonly chats: Map<string, LiveChat>
  /** Whether runs of others come through the live stream; without it each chat follows its run by itself. */
  readonly isFed: () => boolean
  readonly hear: (event: LiveEvent) => void
  /** `opening` until it is known whether there is a live stream. */
  readonly changeState: (state: SharedStreamState | 'opening') => void
}

const feeds = new WeakMap<ApiClient, ChatFeed>()

/** The one feed of a sign-in: it goes when the client of the sign-in goes. */
export function findChatFeed(api: ApiClient): ChatFeed {
  const feed = feeds.get(api) ?? createChatFeed()
  feeds.set(api, feed)
  return feed
}

function createChatFeed(): ChatFeed {
  const chats = new Map<string, LiveChat>()
  let state: SharedStreamState | 'opening' = 'unavailable'
  /** A stream has been open before: another first line means that something may have been missed. */
  let wasOpen = false

  const begin = (runs: readonly LiveRun[]) => {
    for (const [chatId, chat] of chats) {
      chat.hearing.catchUp(
        runs.find((run) => run.chatId === chatId),
        wasOpen,
      )
    }
  }
  return {
    chats,
    isFed: () => state !== 'unavailable',
    hear(event) {
      if (event.type === 'ready') begin(event.runs)
      else if (event.type === 'run') chats.get(event.chatId)?.hearing.hear(event.messageId, event.event)
      else if (event.type === 'chat_changed') chats.get(event.chatId)?.hearing.readAgain()
    },
    changeState(next) {
      state = next
      wasOpen ||= next === 'open'
      if (next !== 'opening') for (const chat of chats.values()) chat.changeFeed(next)
    },
  }
}

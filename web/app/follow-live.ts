import type { LiveEvent, SettingsList } from '@yonder/contract/live'
import { findChatSessions } from '../features/chat/session/use-chat-session.ts'
import type { ApiClient } from '../lib/api-client.ts'
import { connectStream } from '../lib/connect-stream.ts'
import { shareStream } from '../lib/share-stream.ts'

export interface FollowLiveOptions {
  /** Whose news: pages that are signed in as somebody else have a stream of their own. */
  readonly userId: string
  /** Called when the list of chats reads differently now. */
  readonly onChats: () => void
  /** Called when a list of settings reads differently now; with nothing, when any of them may. */
  readonly onSettings: (list?: SettingsList) => void
}

/** Keeps this page up to date with what other tabs and devices of a person do; returns how to end that. */
export function followLive(api: ApiClient, { userId, onChats, onSettings }: FollowLiveOptions): () => void {
  const sessions = findChatSessions(api)
  sessions.setLiveState('opening')
  /** The stream has been there, or should have been: before its next first line something may have been missed. */
  let mayHaveMissed = false
  return shareStream({
    name: `yonder.live:${userId}`,
    connect: (signal) => connectStream(api, '/api/live', {}, signal),
    onState(state) {
      mayHaveMissed = true
      sessions.setLiveState(state)
    },
    onData(data) {
      const event = JSON.parse(data) as LiveEvent
      sessions.receive(event)
      if (changesList(event)) onChats()
      if (event.type === 'changed') onSettings(event.what)
      else if (event.type === 'ready' && mayHaveMissed) onSettings()
    },
  })
}

function changesList(event: LiveEvent): boolean {
  if (event.type === 'run') return event.event.type === 'started' || event.event.type === 'ended'
  return event.type === 'chat_changed' || event.type === 'ready'
}

import type { LiveEvent, SettingsList } from '@yonder/contract/live'
import { useEffect, useState } from 'react'
import { useSWRConfig } from 'swr'
import { refreshChatList } from '../data/chats.ts'
import { botsKey, chatListKey, connectorsKey, integrationsKey } from '../data/keys.ts'
import { findChatSessions } from '../features/chat/session/chat-sessions.ts'
import { readAnnounced, setAnnouncedReads } from '../lib/api/announced-reads.ts'
import type { ApiClient } from '../lib/api/api-client.ts'
import { useApi } from '../lib/api/api-provider.tsx'
import { connectStream } from '../lib/streams/event-stream.ts'
import { shareStream, type SharedStreamState } from '../lib/streams/share-stream.ts'

const keysOfLists: Readonly<Record<Exclude<SettingsList, 'names'>, string>> = {
  bots: botsKey,
  connectors: connectorsKey,
  integrations: integrationsKey,
}

/**
 * Updates this page with what the user does in other tabs and on other devices, while the component is mounted.
 * Returns the state of the stream; undefined until it is known.
 */
export function useLiveUpdates(userId: string): SharedStreamState | undefined {
  const api = useApi()
  const { mutate } = useSWRConfig()
  const [state, setState] = useState<SharedStreamState>()
  useEffect(() => {
    const keys = new Map<string, string>(Object.entries(keysOfLists))
    return followLive(api, userId, setState, (list) => {
      // There is no list of the names, which chats contain, and a newer server may name another list.
      const changed = list === undefined ? [...keys.values()] : [keys.get(list)]
      for (const key of changed) if (key !== undefined) readAnnounced(key, () => mutate(key))
    })
  }, [api, mutate, userId])
  return state
}

/**
 * Follows the user's live stream. Returns a function that stops it. `onSettings` is called when a list of the settings
 * changed, or without a list when any list may have changed. Only tabs of the same user share the stream.
 */
function followLive(
  api: ApiClient,
  userId: string,
  onState: (state: SharedStreamState) => void,
  onSettings: (list?: SettingsList) => void,
): () => void {
  const sessions = findChatSessions(api)
  // The `ready` of a stream that opens without delay comes before any state, and the lists need no second read. A
  // `ready` after a state is a late one or that of a later stream, so events may have been missed.
  let mayHaveMissed = false
  const leave = shareStream({
    name: `yonder.live:${userId}`,
    connect: (signal) => connectStream(api, '/api/live', {}, signal),
    connection: api.connection,
    onState(state) {
      mayHaveMissed = true
      if (state !== 'held') setAnnouncedReads([...Object.values(keysOfLists), chatListKey], state === 'open')
      else setAnnouncedReads()
      if (state === 'lost' || state === 'held') api.connection.check()
      sessions.setStreamState(state)
      onState(state)
    },
    onData(data) {
      const event = JSON.parse(data) as LiveEvent
      sessions.receive(event)
      if (changesChatList(event)) refreshChatList()
      if (event.type === 'changed') onSettings(event.what)
      else if (event.type === 'ready' && mayHaveMissed) onSettings()
    },
  })
  return () => {
    leave()
    sessions.setStreamState('opening')
    setAnnouncedReads()
  }
}

function changesChatList(event: LiveEvent): boolean {
  if (event.type === 'run') return event.event.type === 'started' || event.event.type === 'ended'
  return event.type === 'chat_changed' || event.type === 'ready'
}

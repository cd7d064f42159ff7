import { useEffect } from 'react'
import { followLive } from '../features/chat/follow-live.ts'
import { historyChanges } from '../features/history/history-changes.ts'
import { useApi } from '../lib/use-api.ts'

/** Shows here what happens in the person's other tabs and devices, for as long as somebody is signed in. */
export function useLiveUpdates(userId: string): void {
  const api = useApi()
  useEffect(() => followLive(api, { userId, onChats: historyChanges.tell }), [api, userId])
}

import type { LiveEvent } from '@yonder/contract/live'
import { createStore } from '../store.ts'

/**
 * `opening` until the state is known. `lost`: the stream is not open and is retried. `held`: a request for the stream
 * has had no event for ten seconds, as behind a proxy that buffers, so events may never arrive.
 */
export type StreamState = 'opening' | 'open' | 'lost' | 'held'

/** Whether the stream itself leads to the reads that a reconnection needs, so that nothing else has to. */
export function readsAfterReconnection(state: StreamState): boolean {
  return state === 'open' || state === 'lost'
}

/** What the server sends to all pages of the user. It exists as long as the client of the user. */
export function createLiveFeed() {
  const listeners = new Set<(event: LiveEvent) => void>()
  return {
    state: createStore<StreamState>('opening'),
    /** Calls `listener` with every event, until the returned function is called. */
    subscribe: (listener: (event: LiveEvent) => void): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    emit: (event: LiveEvent) => {
      for (const listener of listeners) listener(event)
    },
  }
}

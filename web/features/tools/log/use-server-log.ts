import type { RunEvent } from '@yonder/contract/completion'
import { useCallback, useReducer } from 'react'
import { emptyServerLog, reduceServerLog } from './server-log.ts'
import type { ServerLog } from './server-log.ts'

export interface ServerLogView {
  readonly log: ServerLog
  readonly receive: (event: RunEvent) => void
  readonly clear: () => void
  readonly close: () => void
}

/** The connection log of a chat while its screen is open (§13.27). */
export function useServerLog(): ServerLogView {
  const [log, dispatch] = useReducer(reduceServerLog, emptyServerLog)
  return {
    log,
    receive: useCallback((event: RunEvent) => {
      if (event.type !== 'mcp_status' && event.type !== 'ended') return
      dispatch({ type: 'event', event, time: new Date().toLocaleTimeString() })
    }, []),
    clear: useCallback(() => dispatch({ type: 'clear' }), []),
    close: useCallback(() => dispatch({ type: 'close' }), []),
  }
}

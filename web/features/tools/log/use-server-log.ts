import type { RunEvent } from '@yonder/contract/completion'
import { useCallback, useReducer } from 'react'
import { emptyServerLog, reduceServerLog } from './server-log.ts'
import type { ServerLog } from './server-log.ts'

export interface ServerLogView {
  readonly log: ServerLog
  readonly hear: (event: RunEvent) => void
  readonly clear: () => void
  readonly close: () => void
}

/** The log of a chat's connections for as long as its screen is open. */
export function useServerLog(): ServerLogView {
  const [log, dispatch] = useReducer(reduceServerLog, emptyServerLog)
  return {
    log,
    hear: useCallback((event: RunEvent) => {
      if (event.type !== 'mcp_status' && event.type !== 'ended') return
      dispatch({ type: 'told', event, time: new Date().toLocaleTimeString() })
    }, []),
    clear: useCallback(() => dispatch({ type: 'clear' }), []),
    close: useCallback(() => dispatch({ type: 'close' }), []),
  }
}

import type { RunEvent } from '@yonder/contract/completion'
import { useCallback, useReducer } from 'react'
import { formatClockWithSeconds } from '../../../lib/format-time.ts'

/** The status of a tool server. */
export interface ServerStatus {
  readonly status: 'connected' | 'connecting' | 'error' | 'disconnected'
  /** Local time, formatted. */
  readonly lastUpdated: string
  readonly message: string
}

/** A line of the log. */
export interface LogEntry {
  readonly id: number
  readonly server: string
  /** `connecting`, `connected`, `error`, `info`, `summary`, or another status. */
  readonly status: string
  readonly message: string
  /** Local time, formatted. */
  readonly timestamp: string
}

/** The connections to tool servers, and whether the panel shows them. */
export interface ServerLog {
  readonly servers: Readonly<Record<string, ServerStatus>>
  readonly entries: readonly LogEntry[]
  /** Whether a round of connections is in progress. */
  readonly inRound: boolean
  readonly visible: boolean
}

export type ServerLogAction =
  | { readonly type: 'event'; readonly event: RunEvent; readonly time: string }
  | { readonly type: 'clear' }
  | { readonly type: 'close' }

/** If there are more entries, the oldest ones are removed. */
const maxEntries = 500

export const emptyServerLog: ServerLog = { servers: {}, entries: [], inRound: false, visible: false }

/** Returns the log after an event of a run or an action of the user. */
export function reduceServerLog(log: ServerLog, action: ServerLogAction): ServerLog {
  switch (action.type) {
    case 'clear':
      return { ...log, entries: [] }
    case 'close':
      return { ...log, visible: false }
    case 'event':
      if (action.event.type === 'mcp_status') return receiveStatus(log, action.event, action.time)
      // A run may end without an event that ends its round.
      return action.event.type === 'ended' && log.inRound ? endRound(log, action.time) : log
  }
}

type StatusEvent = Extract<RunEvent, { type: 'mcp_status' }>

function receiveStatus(log: ServerLog, event: StatusEvent, time: string): ServerLog {
  const { status, server, message, finished } = event
  const begins = status === 'connecting' && !log.inRound
  const before = begins ? [] : log.entries
  // A connector that is not part of the new round may have been deleted.
  const servers = begins ? {} : log.servers
  const entry = { id: (log.entries.at(-1)?.id ?? 0) + 1, server, status, message, timestamp: time }
  const next: ServerLog = {
    servers: isRoundStatus(status)
      ? servers
      : { ...servers, [server]: { status: readStatus(status), lastUpdated: time, message } },
    entries: [...before, entry].slice(-maxEntries),
    inRound: begins || log.inRound,
    visible: begins || log.visible,
  }
  return finished === true ? endRound(next, time) : next
}

/** Ends a round. A server that has not responded until then is not connected. */
function endRound(log: ServerLog, time: string): ServerLog {
  const servers = Object.entries(log.servers).map(([name, server]): [string, ServerStatus] => [
    name,
    server.status === 'connecting'
      ? { status: 'disconnected', lastUpdated: time, message: 'It has not responded yet.' }
      : server,
  ])
  return { ...log, servers: Object.fromEntries(servers), inRound: false }
}

const statusOrder: readonly ServerStatus['status'][] = ['error', 'disconnected', 'connecting', 'connected']

/** The servers of a log, the failing ones first. */
export function listServers({ servers }: ServerLog): readonly (readonly [name: string, ServerStatus])[] {
  return Object.entries(servers).toSorted(
    ([, one], [, other]) => statusOrder.indexOf(one.status) - statusOrder.indexOf(other.status),
  )
}

/** Whether a status describes the round and not a server. */
const isRoundStatus = (status: string) => status === 'info' || status === 'summary'

/** Reads an unknown status as `disconnected`. */
function readStatus(status: string): ServerStatus['status'] {
  return status === 'connected' || status === 'connecting' || status === 'error' ? status : 'disconnected'
}

/** The connection log of a chat while its screen is open. */
export function useServerLog() {
  const [log, dispatch] = useReducer(reduceServerLog, emptyServerLog)
  return {
    log,
    receive: useCallback((event: RunEvent) => {
      if (event.type !== 'mcp_status' && event.type !== 'ended') return
      dispatch({ type: 'event', event, time: formatClockWithSeconds(new Date()) })
    }, []),
    clear: useCallback(() => dispatch({ type: 'clear' }), []),
    close: useCallback(() => dispatch({ type: 'close' }), []),
  }
}

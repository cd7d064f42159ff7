import type { RunEvent } from '@yonder/contract/completion'

/** How a tool server stands (§3.16). */
export interface ServerStatus {
  readonly status: 'connected' | 'connecting' | 'error' | 'disconnected'
  /** The local time, as text. */
  readonly lastUpdated: string
  readonly message: string
}

/** A line of the log (§3.17). */
export interface LogEntry {
  readonly id: number
  readonly server: string
  /** `connecting`, `connected`, `error`, `info`, `summary`, or what else a server's state is called. */
  readonly status: string
  readonly message: string
  /** The local time, as text. */
  readonly timestamp: string
}

/** What is known of the connections to tool servers, and whether it is shown. */
export interface ServerLog {
  readonly servers: Readonly<Record<string, ServerStatus>>
  readonly entries: readonly LogEntry[]
  /** Whether connections are being made. */
  readonly inRound: boolean
  readonly visible: boolean
}

export type ServerLogAction =
  | { readonly type: 'told'; readonly event: RunEvent; readonly time: string }
  | { readonly type: 'clear' }
  | { readonly type: 'close' }

/** Lines that are kept. */
const mostEntries = 500

export const emptyServerLog: ServerLog = { servers: {}, entries: [], inRound: false, visible: false }

/** What the events of runs and its reader make of the log (§4.7-§4.11). Pure. */
export function reduceServerLog(log: ServerLog, action: ServerLogAction): ServerLog {
  switch (action.type) {
    case 'clear':
      return { ...log, entries: [] }
    case 'close':
      return { ...log, visible: false }
    case 'told':
      if (action.event.type === 'mcp_status') return hearStatus(log, action.event, action.time)
      // A run that ends connects to nothing any more, whatever it did not come to say.
      return action.event.type === 'ended' && log.inRound ? { ...log, inRound: false } : log
  }
}

type StatusEvent = Extract<RunEvent, { type: 'mcp_status' }>

function hearStatus(log: ServerLog, event: StatusEvent, time: string): ServerLog {
  const { status, server, message, finished } = event
  const begins = status === 'connecting' && !log.inRound
  const before = begins ? [] : log.entries
  const entry = { id: (log.entries.at(-1)?.id ?? 0) + 1, server, status, message, timestamp: time }
  return {
    servers: isLine(status)
      ? log.servers
      : { ...log.servers, [server]: { status: readStatus(status), lastUpdated: time, message } },
    entries: [...before, entry].slice(-mostEntries),
    inRound: finished === true ? false : begins || log.inRound,
    visible: begins || log.visible,
  }
}

/** These say something of the round and nothing of a server (§4.10). */
const isLine = (status: string) => status === 'info' || status === 'summary'

/** Any other word than these three means that there is no connection (§4.11). */
function readStatus(status: string): ServerStatus['status'] {
  return status === 'connected' || status === 'connecting' || status === 'error' ? status : 'disconnected'
}

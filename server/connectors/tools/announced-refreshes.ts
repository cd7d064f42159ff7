import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { ServerConnection } from '../mcp/server-connection.ts'

/** A connection whose server has announced that its list of tools has changed. */
export interface ToolsAnnouncement {
  /** As it was when the connection was opened. */
  readonly connector: ConnectorRow
  readonly connection: Pick<ServerConnection, 'usable'>
}

export interface AnnouncedRefreshesOptions<Subject> {
  /** Milliseconds before the first refresh after an announcement, since servers announce several changes at once. */
  readonly minPauseMs: number
  /** Milliseconds that the pause can grow to while a server keeps announcing changes. */
  readonly maxPauseMs: number
  /** Refreshes the subject. */
  readonly refresh: (subject: Subject) => Promise<void>
  readonly onError: (error: unknown) => void
  /** Aborted when the process shuts down. */
  readonly closing: AbortSignal
}

interface State {
  pauseMs: number
  timer: NodeJS.Timeout | undefined
  isRunning: boolean
  /** Whether a refresh is planned, after the pause or after the running one. */
  isPending: boolean
}

/**
 * Refreshes what servers announce as changed: one refresh at a time and at most one pending for each key, and each
 * pause is twice as long as the one before, up to a limit, while a server keeps announcing. Nothing waits for these
 * refreshes.
 */
export class AnnouncedRefreshes<Subject> {
  readonly #options: AnnouncedRefreshesOptions<Subject>
  readonly #states = new Map<string, State>()

  constructor(options: AnnouncedRefreshesOptions<Subject>) {
    this.#options = options
  }

  /** Plans a refresh, unless one with this key is planned already. */
  announce(key: string, subject: Subject): void {
    const state = this.#states.get(key) ?? {
      pauseMs: this.#options.minPauseMs,
      timer: undefined,
      isRunning: false,
      isPending: false,
    }
    this.#states.set(key, state)
    if (state.isRunning) state.isPending = true
    else if (!state.isPending) this.#plan(key, state, subject)
  }

  #plan(key: string, state: State, subject: Subject): void {
    clearTimeout(state.timer)
    state.isPending = true
    state.timer = setTimeout(() => void this.#run(key, state, subject), state.pauseMs).unref()
  }

  async #run(key: string, state: State, subject: Subject): Promise<void> {
    const { refresh, onError, closing, maxPauseMs } = this.#options
    if (closing.aborted) return
    state.isPending = false
    state.isRunning = true
    await refresh(subject).catch(onError)
    state.isRunning = false
    state.pauseMs = Math.min(maxPauseMs, state.pauseMs * 2)
    if (state.isPending) this.#plan(key, state, subject)
    // A server that is quiet for as long as the next pause gets the shortest pause again.
    else state.timer = setTimeout(() => this.#states.delete(key), state.pauseMs).unref()
  }
}

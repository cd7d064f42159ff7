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

/**
 * Refreshes what servers announce as changed: one refresh at a time and at most one pending for each key, and each
 * pause is twice as long as the one before, up to a limit, while a server keeps announcing. Nothing waits for these
 * refreshes.
 */
export class AnnouncedRefreshes<Subject> {
  readonly #options: AnnouncedRefreshesOptions<Subject>
  /** The subject of the next refresh, for each key whose refreshes have not ended; undefined while none is planned. */
  readonly #planned = new Map<string, Subject | undefined>()

  constructor(options: AnnouncedRefreshesOptions<Subject>) {
    this.#options = options
  }

  /** Plans a refresh, unless one with this key is planned already. */
  announce(key: string, subject: Subject): void {
    const isRunning = this.#planned.has(key)
    this.#planned.set(key, this.#planned.get(key) ?? subject)
    if (!isRunning) void this.#run(key)
  }

  async #run(key: string): Promise<void> {
    const { minPauseMs, maxPauseMs, refresh, onError, closing } = this.#options
    for (let pauseMs = minPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
      await new Promise((resolve) => {
        setTimeout(resolve, pauseMs).unref()
      })
      const subject = this.#planned.get(key)
      // A server that was quiet for as long as the pause gets the shortest pause again.
      if (subject === undefined || closing.aborted) break
      this.#planned.set(key, undefined)
      await refresh(subject).catch(onError)
    }
    this.#planned.delete(key)
  }
}
